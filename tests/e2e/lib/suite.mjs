import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { launch, open } from './browser.mjs';
import { catalog, startServer } from './server.mjs';

/** What the journeys look for: an item that English, two Chinese characters and Japanese all find. */
export const target = catalog
  ? { id: 'accounting', english: 'accounting', chinese: '会计', japanese: '会計' }
  : { id: 'official/careful-translator', english: 'careful translator', chinese: '翻译', japanese: '翻訳' };

/** One server and one browser for a file; every page a test opens must have had nothing to complain about. */
export function suite(prepare, kind) {
  const stage = { server: undefined, browser: undefined };
  let pages = [];

  before(async () => {
    [stage.server, stage.browser] = await Promise.all([startServer(kind), launch(kind)]);
    await prepare?.(stage.browser, stage.server);
  });
  after(async () => {
    await stage.browser?.close();
    await stage.server?.stop();
  });
  afterEach(async () => {
    const unexpected = (page) => page.refused.filter(({ where }) => !page.expected.some((part) => where.includes(part)));
    const problems = pages.flatMap((page) => [...page.problems, ...unexpected(page).map(({ text, where }) => `${text} ${where}`)]);
    await Promise.all(pages.map((page) => page.context().close()));
    pages = [];
    assert.deepEqual(problems, [], 'the browser had nothing to complain about');
  });

  stage.open = async (path, options) => {
    const page = await open(stage.browser, stage.server.base, options);
    page.setDefaultTimeout(30_000);
    pages.push(page);
    await page.goto(path);
    return page;
  };
  stage.signIn = async (page) => {
    const { userId, password } = stage.server;
    await page.locator('dialog input[name=username]').fill(userId);
    await page.locator('dialog input[name=password]').fill(password);
    await page.locator('dialog form .button.primary').click();
    await page.locator('dialog form').waitFor({ state: 'detached' });
  };
  /** A page of a member that was made with the server, signed in. */
  stage.as = async (user, path, options) => {
    const page = await stage.open('about:blank', options);
    await page.request.post('/api/login', { data: { user_id: user, password: stage.server.made[user] } });
    await page.goto(path);
    return page;
  };
  return stage;
}

/** Wait until the page says so, rather than for a time. */
export async function eventually(check, what, within = 30_000) {
  const end = Date.now() + within;
  let last;
  while (Date.now() < end) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`${what} did not come about${last ? `: ${last.message}` : ''}`);
}
