import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/**
 * The fake AstrBot of internal/astrbottest, which pages may call at `open` and not at `closed`; `by` is what its owner does
 * and what befalls it, `snapshot` everything it holds.
 */
export async function startBot(...scopes) {
  const dir = mkdtempSync(join(tmpdir(), 'stoa-bot-'));
  const binary = join(dir, 'fakebot');
  execFileSync('go', ['build', '-o', binary, './internal/astrbottest/fakebot'], { cwd: root });
  const child = spawn(binary, scopes, { stdio: ['pipe', 'pipe', 'inherit'] });
  const bot = await new Promise((found, fail) => {
    let text = '';
    child.once('exit', () => fail(new Error('the bot ended')));
    child.stdout.on('data', (chunk) => (text += chunk).includes('\n') && found(JSON.parse(text)));
  });
  bot.snapshot = async () => (await fetch(`${bot.control}/snapshot`)).text();
  bot.by = async (what, values) => {
    const reply = await fetch(`${bot.control}/${what}`, { method: 'POST', body: new URLSearchParams(values) });
    if (!reply.ok) throw new Error(`${what}: ${reply.status}`);
  };
  bot.stop = () => {
    child.removeAllListeners('exit');
    child.stdin.end();
    rmSync(dir, { recursive: true, force: true });
  };
  return bot;
}
