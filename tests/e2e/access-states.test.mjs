import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { consoleViews, openConsole, prepareConsole } from './lib/consoleviews.mjs';
import { signInAs } from './lib/incident.mjs';
import { suite } from './lib/suite.mjs';
import { settled } from './lib/views.mjs';

// access.test.mjs looks at every view when it is full. Here each is looked at while it waits, when the server fails, and when
// there is nothing yet: as a new member on a market of which nothing is listed.

const stage = suite(
  async (_, server) => {
    const { password } = JSON.parse(server.run('member', 'add', 'novice', '--json'));
    server.members = { novice: password };
    prepareConsole(server);
  },
  { small: true },
);

const places = {
  '/market': false, '/market?view=insights': false, '/market?pack=profile%2Fofficial-starter': false, '/market?view=installations': true, '/market?view=submissions': true, '/market?view=upload': true,
  '/member': true, '/member?view=upload': true, '/member?view=submissions': true, '/member?view=tasks': true, '/member?view=notifications': true, '/member?view=preferences': true, '/member?view=session': true,
  '/learn': true, '/learn?view=map': true, '/learn?view=notes': true, '/learn?view=progress': true, '/learn?view=strategy': true,
  '/runtime': true, '/runtime?view=quality': true, '/runtime?view=requests': true,
};
/** Who is here, and what words there are, is known in every state. */
const known = /\/api\/(ui\/capabilities|auth-info)/;
const data = /\/(console\/)?api\//;

const emptyCatalog = async (route) => {
  const reply = await route.fetch();
  const { data, ...rest } = await reply.json();
  for (const list of ['templates', 'packs', 'featured', 'trending']) if (Array.isArray(data[list])) data[list] = [];
  if ('total' in data) data.total = 0;
  return route.fulfill({ response: reply, json: { ...rest, data } });
};

const states = {
  empty: async (page) => {
    await page.route(/\/api\/(templates|profile-pack\/catalog(\/insights)?)(\?|$)/, emptyCatalog);
    return () => settled(page);
  },
  failing: async (page) => {
    await page.route((url) => data.test(url.pathname) && !known.test(url.pathname) && !/\/me$/.test(url.pathname), (route) =>
      route.fulfill({ status: 500, json: { ok: false, message: '', data: {}, error: { code: 'internal_error', message: 'The server has failed.' } }, headers: { 'X-Request-Id': 'a-request' } }));
    page.expected.push('/api/');
    return () => page.getByRole('alert').first().waitFor();
  },
  waiting: async (page) => {
    await page.route((url) => data.test(url.pathname) && !known.test(url.pathname) && !/\/me$/.test(url.pathname), () => undefined);
    return () => page.locator('main h1:visible').first().waitFor();
  },
};

/** Each in another look. */
const looks = { empty: ['narrow', 'dark'], failing: ['wide', 'light'], waiting: ['wide', 'dark'] };

for (const [state, prepare] of Object.entries(states)) {
  const [width, theme] = looks[state];
  test(`every view while it is ${state}: ${width}, ${theme}`, async () => {
    const found = [];
    const judge = async (page, path, ready, name) => {
      await page.goto(path);
      await ready().catch((error) => found.push(`${name}: ${error.message.split('\n')[0]}`));
      await check(page, name).catch((error) => found.push(error.message));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (overflow > 0) found.push(`${name}: ${overflow} px wider than the window`);
      await page.context().close();
    };
    for (const [path, signedIn] of Object.entries(places)) {
      const page = await stage.open('about:blank', { width, theme });
      if (signedIn) await signInAs(page, stage.server, 'novice');
      await judge(page, path, await prepare(page), path);
    }
    for (const [name, view] of Object.entries(consoleViews)) {
      if (view.signedOut || !view.full) continue;
      const page = await openConsole(stage.browser, stage.server, view, { width, theme });
      const ready = await prepare(page);
      await judge(page, `/console?view=${name.replace('console-', '')}`, state === 'empty' ? () => page.locator('main h1:visible').waitFor() : ready, name);
    }
    assert.deepEqual(found, []);
  });
}
