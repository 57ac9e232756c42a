import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
export const binary = process.env.STOA_BIN ?? resolve(here, '../../../bin/stoa');
const place = process.env.STOA_CATALOG ?? resolve(here, '../../../../shared/data/catalog/agents.jsonl');

/** The big catalog, or undefined where only the seed content is to be had. */
export const catalog = existsSync(place) ? place : undefined;

/**
 * The real binary on a free port, with a data folder of its own; with the seed content alone where that is enough.
 * `flags` are for `stoa serve`, and may be changed while it is halted.
 */
export async function startServer({ small = false, flags = [] } = {}) {
  if (!existsSync(binary)) throw new Error(`no server at ${binary}: build it, or name one in STOA_BIN`);
  const data = mkdtempSync(join(tmpdir(), 'stoa-e2e-'));
  const [port, consolePort] = [await freePort(), await freePort()];
  const server = { base: `http://127.0.0.1:${port}`, console: `http://127.0.0.1:${consolePort}`, userId: '', password: '', signInLink: '', data, flags };

  const run = (...args) => execFileSync(binary, [...args, '--data', data], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  let child;
  server.run = run;
  server.start = async () => {
    child = spawn(binary, ['serve', '--listen', `127.0.0.1:${port}`, '--metrics-listen', 'off', '--console-listen', `127.0.0.1:${consolePort}`, '--data', data, ...server.flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    await ready(server.base, child, () => err);
    // Said once, by the first start in an empty folder.
    server.userId ||= /name\s+(\S+)/.exec(out)?.[1] ?? '';
    server.password ||= /password\s+(\S+)/.exec(out)?.[1] ?? '';
    server.signInLink ||= /(\/member#signin=\S+)/.exec(out)?.[1] ?? '';
  };
  server.halt = async () => {
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await gone;
  };
  server.stop = async () => {
    await server.halt();
    rmSync(data, { recursive: true, force: true });
  };

  // The first start puts the seed content in; the big catalog comes on top of it.
  await server.start();
  if (catalog && !small) {
    await server.halt();
    run('import', catalog);
    await server.start();
  }
  return server;
}

async function ready(base, child, errors) {
  for (let waited = 0; waited < 20_000; waited += 50) {
    if (child.exitCode !== null) throw new Error(`the server stopped: ${errors()}`);
    const reply = await fetch(`${base}/api/health`).catch(() => undefined);
    if (reply?.ok) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the server did not become healthy: ${errors()}`);
}

function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
