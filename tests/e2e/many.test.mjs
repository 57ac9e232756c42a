import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite } from './lib/suite.mjs';
import { prepare, signIn } from './lib/views.mjs';

const stage = suite(prepare);

test('of thousands of installations only those in sight are laid out and painted', async (t) => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  // A member's real row, made many. The last page comes by the button, onto all the others.
  await page.route('**/api/member/installations?*', async (route) => {
    if (route.request().url().includes('limit=')) return route.continue();
    const reply = await route.fetch({ url: `${stage.server.base}/api/member/installations` });
    const body = await reply.json();
    const [row] = body.data.installations;
    const rest = route.request().url().includes('cursor=');
    const [from, to] = rest ? [3950, 4000] : [0, 3950];
    body.data.installations = Array.from({ length: to - from }, (_, index) => ({ ...row, template_id: `many/${from + index}`, title: `Template ${from + index}` }));
    body.data.next_cursor = rest ? '' : 'more';
    await route.fulfill({ response: reply, json: body });
  });
  page.setDefaultTimeout(180_000);
  await page.goto('/member');
  const rows = page.locator('main ul.list > li');
  await rows.last().waitFor({ state: 'attached' });
  // By selector: to find a role, the whole list would be looked at.
  await page.locator('main .more .button').click();
  await eventually(async () => (await rows.count()) === 4000, 'all of them', 180_000);

  const drawn = () => page.evaluate(() => [...document.querySelectorAll('main ul.list > li article')].filter((row) => row.checkVisibility({ contentVisibilityAuto: true })).length);
  assert.ok((await drawn()) < 200, `${await drawn()} rows are drawn at the end`);

  // Down the list in sixty steps of a frame each; how long the frames took is told, not judged.
  const frames = await page.evaluate(async () => {
    const times = [];
    let last = performance.now();
    for (let step = 0; step <= 60; step++) {
      scrollTo({ top: (document.documentElement.scrollHeight / 60) * step, behavior: 'instant' });
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.slice(1).sort((a, b) => a - b);
  });
  t.diagnostic(`frames while scrolling: median ${frames[30].toFixed(0)} ms, slowest ${frames.at(-1).toFixed(0)} ms`);
  assert.ok((await drawn()) < 200, `${await drawn()} rows are drawn after scrolling`);

  const row = rows.nth(2000);
  await row.scrollIntoViewIfNeeded();
  await row.locator('summary').click();
  await row.locator('dl').waitFor();
  const took = await page.evaluate(async () => {
    const summary = document.querySelectorAll('main ul.list > li')[2000].querySelector('summary');
    const begin = performance.now();
    summary.click();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - begin;
  });
  t.diagnostic(`closing a row's details took ${took.toFixed(0)} ms`);
});
