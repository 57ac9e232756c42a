import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

const stage = suite(undefined, { small: true });
const all = 10_000;
/** More rows than this are never in the page; a window shows about a dozen. */
const most = 200;

/** A member's real row, made many. The last page comes when the end of the first is in sight. */
async function withMany(page, count = all) {
  await signIn(page, stage.server);
  await page.request.post('/api/templates/install', { data: { template_id: 'official/careful-translator', install_options: { source_preference: 'auto' } } });
  const reply = await page.request.get('/api/member/installations');
  const body = await reply.json();
  const [row] = body.data.installations;
  await page.route('**/api/member/installations?*', async (route) => {
    const rest = new URL(route.request().url()).searchParams.has('cursor');
    const [from, to] = rest ? [count - 200, count] : [0, count - 200];
    const installations = Array.from({ length: to - from }, (_, index) => ({ ...row, template_id: `many/${from + index}`, title: `Template ${from + index}` }));
    await route.fulfill({ json: { ...body, data: { ...body.data, installations, next_cursor: rest ? '' : 'more' } } });
  });
}

/** Counts the rows in the page whenever that changes, not only when somebody looks. */
async function watchRows(page) {
  await page.evaluate(() => {
    const main = document.querySelector('main');
    window.mostRows = 0;
    const count = () => (window.mostRows = Math.max(window.mostRows, main.querySelectorAll('li').length));
    new MutationObserver(count).observe(main, { childList: true, subtree: true });
    count();
  });
  return () => page.evaluate(() => window.mostRows);
}

const rowAt = (page, index) => page.locator(`main li[aria-posinset="${index + 1}"]`);
const scrollTo = (page, share) => page.evaluate((share) => scrollTo({ top: (document.documentElement.scrollHeight - innerHeight) * share, behavior: 'instant' }), share);
/** The rows of the middle of the window, as their numbers. */
const inSight = (page) =>
  page.evaluate(() => [...document.querySelectorAll('main li')].filter((row) => row.getBoundingClientRect().bottom > 0 && row.getBoundingClientRect().top < innerHeight).map((row) => Number(row.ariaPosInSet) - 1));
const focused = (page) => page.evaluate(() => Number(document.activeElement.closest('li')?.ariaPosInSet ?? 0) - 1);

for (const width of ['wide', 'narrow']) {
  test(`of ten thousand installations only those about the window are in the page: ${width}`, async (t) => {
    const page = await stage.open('about:blank', { width });
    await withMany(page);
    await page.goto('/member');
    await rowAt(page, 0).waitFor();
    const mostRows = await watchRows(page);
    assert.equal(await rowAt(page, 0).getAttribute('aria-setsize'), '-1', 'how many there are is not known yet');

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

    // The end brings the last page, and then the last row.
    await eventually(async () => {
      await scrollTo(page, 1);
      return (await inSight(page)).at(-1) === all - 1;
    }, 'the last row');
    assert.equal(await rowAt(page, all - 1).getAttribute('aria-setsize'), String(all));
    assert.match(await rowAt(page, all - 1).innerText(), new RegExp(`Template ${all - 1}\\b`));
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });

    // In the middle a row is opened: what follows makes room, and it is open still when it is come back to.
    await scrollTo(page, 0.5);
    await eventually(async () => (await inSight(page)).length > 2, 'rows in the middle');
    const middle = (await inSight(page))[2];
    const row = rowAt(page, middle);
    const top = async (index) => Math.round((await rowAt(page, index).boundingBox()).y);
    const before = [await top(middle), await top(middle + 1)];
    await row.locator('summary').click();
    await row.locator('dl').waitFor();
    assert.equal(await top(middle), before[0], 'the row stays where it was');
    const grown = (await top(middle + 1)) - before[1];
    assert.ok(grown > 50, `the next row makes room: ${grown} px`);

    // The focus goes with nobody else: its row stays, and Tab goes on from it.
    assert.equal(await focused(page), middle);
    await eventually(async () => {
      await scrollTo(page, 0.9);
      return (await inSight(page))[0] > all * 0.8;
    }, 'rows further down');
    assert.equal(await focused(page), middle);
    assert.equal(await rowAt(page, middle + 200).count(), 0);
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), middle);
    for (let tabs = 0; tabs < 30 && (await focused(page)) < middle + 6; tabs++) await page.keyboard.press('Tab');
    assert.equal(await focused(page), middle + 6, 'Tab comes from row to row');
    await eventually(async () => (await inSight(page)).includes(middle + 6), 'the row with the focus in sight');
    assert.ok(await row.locator('dl').isVisible(), 'the details are open still');

    t.diagnostic(`at most ${await mostRows()} of ${all} rows were in the page`);
    assert.ok((await mostRows()) < most, `${await mostRows()} rows in the page`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  });
}

test('what is above stays in place when a row far down turns out taller, and going back finds the place', async () => {
  const page = await stage.open('about:blank');
  await withMany(page, 2000);
  await page.goto('/market?view=installations');
  await rowAt(page, 0).waitFor();
  await scrollTo(page, 0.3);
  await eventually(async () => (await inSight(page))[0] > 400, 'rows further down');
  await page.mouse.move(700, 500);

  // Upwards, rows come in whose heights were only guessed at.
  const first = async () => (await inSight(page))[0];
  const place = await first();
  await page.mouse.wheel(0, -1500);
  await eventually(async () => (await first()) < place - 5, 'rows further up');
  assert.ok((await first()) > place - 40, `from row ${place} to ${await first()}`);

  const [, there] = await inSight(page);
  const was = (await rowAt(page, there).boundingBox()).y;
  // A press by script: a pointer would have to scroll to the link first, and leave from another place.
  await page.getByRole('link', { name: 'Submissions' }).first().evaluate((link) => link.click());
  await page.getByRole('heading', { level: 1, name: 'Submissions' }).waitFor();
  await settled(page);
  await page.goBack();
  await rowAt(page, there).waitFor();
  const off = async () => Math.abs((await rowAt(page, there).boundingBox()).y - was);
  await eventually(async () => (await off()) < 3, 'the same row at the same place');

  // The item of a row is another page altogether.
  page.expected.push('/api/templates/detail');
  await rowAt(page, there).getByRole('link').click();
  await page.getByRole('heading', { name: 'This item was not found' }).waitFor();
  await page.goBack();
  await rowAt(page, there).waitFor();
  // The heights of the hundreds of rows above are guessed anew, so it may be off by less than a row.
  await eventually(async () => (await off()) < 100, 'the same place after coming from another page');
});

test('a focus that is scrolled away as it comes is brought back, one that shows in part stays where it is', async () => {
  const page = await stage.open('about:blank');
  await withMany(page);
  await page.goto('/member');
  await rowAt(page, 0).waitFor();
  const summary = rowAt(page, 3).locator('summary');
  await summary.evaluate((it) => {
    it.focus();
    scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: 'instant' });
  });
  await eventually(async () => (await inSight(page)).includes(3), 'the row with the focus in sight');
  assert.equal(await focused(page), 3);

  // Half of it is above the window.
  const stayed = await rowAt(page, 5).locator('summary').evaluate(async (it) => {
    const { top, height } = it.getBoundingClientRect();
    scrollBy({ top: top + height / 2, behavior: 'instant' });
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    const before = it.getBoundingClientRect().top;
    it.focus({ preventScroll: true });
    for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame);
    return [before, it.getBoundingClientRect().top];
  });
  assert.ok(stayed[0] < 0);
  assert.equal(stayed[1], stayed[0]);
});

test('on paper the list is whole', async () => {
  const page = await stage.open('about:blank');
  await withMany(page, 500);
  await page.goto('/member');
  await rowAt(page, 0).waitFor();
  const rows = page.locator('main li');
  assert.ok((await rows.count()) < 100);
  await page.evaluate(() => {
    addEventListener('beforeprint', () => (window.printed = document.querySelectorAll('main li').length));
  });
  await page.pdf();
  assert.equal(await page.evaluate(() => window.printed), 300);
  await eventually(async () => (await rows.count()) < 100, 'the window again');
});
