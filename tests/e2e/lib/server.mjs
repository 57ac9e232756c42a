import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
export const binary = process.env.STOA_BIN ?? resolve(here, '../../../bin/stoa');
const place = process.env.STOA_CATALOG ?? resolve(here, '../../../../shared/data/catalog/agents.jsonl');

const seeds = resolve(here, '../../../.cache/e2e');

/** The big catalog, or undefined where only the seed content is to be had. */
export const catalog = existsSync(place) ? place : undefined;

/**
 * The real binary on a free port, with a data folder of its own; with the seed content alone where that is enough.
 * `flags` are for `stoa serve`, and may be changed while it is halted. The sign-in link, valid for ten minutes, is known of a
 * `fresh` one alone: the others begin with a copy of what a first start made.
 */
export async function startServer({ small = false, fresh = false, flags = [] } = {}) {
  if (!existsSync(binary)) throw new Error(`no server at ${binary}: build it, or name one in STOA_BIN`);
  const data = mkdtempSync(join(tmpdir(), 'stoa-e2e-'));
  if (fresh) return serverIn(data, flags, await firstStart(data, small));
  const made = await seed(small);
  cpSync(join(made, 'data'), data, { recursive: true });
  return serverIn(data, flags, JSON.parse(readFileSync(join(made, 'who.json'), 'utf8')));
}

async function serverIn(data, flags, who) {
  const [port, consolePort] = [await freePort(), await freePort()];
  const server = { base: `http://127.0.0.1:${port}`, console: `http://127.0.0.1:${consolePort}`, ...who, data, flags };

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

  await server.start();
  return server;
}

/** Starts a server in an empty folder, and ends it; with the big catalog, where there is one, unless it is small. Answers who it made. */
async function firstStart(data, small) {
  const server = await serverIn(data, [], {});
  await server.halt();
  if (catalog && !small) server.run('import', catalog);
  const { userId, password, signInLink } = server;
  return { userId, password, signInLink };
}

/**
 * The folder `data` after a first start, and who it made, made once in an hour for a binary, since pages tell how old things are. What one
 * process has made is there for the others under its name at once and whole.
 */
async function seed(small) {
  const { mtimeMs, size } = statSync(binary);
  const hour = 3_600_000;
  const made = join(seeds, `${Math.floor(Date.now() / hour)}-${Math.round(mtimeMs)}-${size}-${small ? 'small' : 'full'}`);
  if (existsSync(made)) return made;
  mkdirSync(seeds, { recursive: true });
  for (const old of readdirSync(seeds)) if (parseInt(old) < Date.now() / hour - 2) rmSync(join(seeds, old), { recursive: true, force: true });
  const making = mkdtempSync(`${made}.`);
  mkdirSync(join(making, 'data'));
  const { userId, password } = await firstStart(join(making, 'data'), small);
  writeFileSync(join(making, 'who.json'), JSON.stringify({ userId, password }));
  try {
    renameSync(making, made);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(made)) throw error; // else another process was faster
  }
  return made;
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
