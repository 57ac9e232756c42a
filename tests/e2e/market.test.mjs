import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose } from './lib/choose.mjs';
import { catalog } from './lib/server.mjs';
import { eventually, suite, target } from './lib/suite.mjs';
import { settled } from './lib/views.mjs';

const stage = suite();
const titles = (page) => page.locator('.cards h3').allInnerTexts();
const shown = async (page) => Number(/[\d,]+/.exec(await page.locator('.toolbar .count').innerText())[0].replace(',', ''));

test('facets narrow the list, the address says so, and back undoes it', async () => {
  const page = await stage.open('/market');
  await settled(page);
  const all = await shown(page);
  const facet = page.getByRole('group', { name: 'Category' }).getByRole('button').first();
  const count = Number(await facet.locator('.count').innerText());
  await facet.click();
  await eventually(async () => (await shown(page)) === count, 'the count of the facet');
  assert.ok(count < all);
  const filtered = page.url();
  assert.match(filtered, /category=/);

  await choose(page.getByRole('combobox', { name: 'Sort by' }), 'Newest');
  await page.goBack();
  assert.equal(page.url(), filtered);
  await page.goBack();
  await eventually(async () => (await shown(page)) === all, 'the whole list');
  await page.goForward();
  await eventually(async () => (await shown(page)) === count, 'the filtered list');

  const again = await stage.open(filtered);
  await settled(again);
  assert.equal(await shown(again), count, 'a shared address shows the same list');
  await again.getByRole('button', { name: 'Clear filters' }).click();
  await eventually(async () => (await shown(again)) === all, 'the whole list');
});

test('paging keeps the place, and coming back from an item finds it', { skip: !catalog && 'needs the big catalog' }, async () => {
  const page = await stage.open('/market');
  await settled(page);
  const first = await titles(page);
  await page.getByRole('button', { name: 'Show more' }).click();
  await eventually(async () => (await titles(page)).length > first.length, 'the second page');
  const both = await titles(page);
  assert.deepEqual(both.slice(0, first.length), first);
  const next = page.locator('.cards a').nth(first.length);
  assert.ok(await next.evaluate((link) => link === document.activeElement), 'the focus is on the first new card');

  await next.scrollIntoViewIfNeeded();
  const scroll = await page.evaluate(() => scrollY);
  assert.ok(scroll > 0);
  await next.click();
  await page.getByRole('heading', { level: 2, name: 'Versions' }).waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await eventually(() => next.isVisible(), 'the list');
  assert.deepEqual(await titles(page), both);
  await eventually(async () => Math.abs((await page.evaluate(() => scrollY)) - scroll) < 5, 'the old scroll position');
  await eventually(() => next.evaluate((link) => link === document.activeElement), 'the focus on the card');
});

/** Puts the pointer on a card and its button down. */
async function press(page, id) {
  const card = page.locator('.cards article', { has: page.locator(`a[data-item="${id}"]`) });
  await card.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await card.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
}

/** The first card's item, the words that it is found by, and the addresses of the search and of the item found. */
async function firstCard(page) {
  const link = page.locator('.cards article a[data-item]').first();
  const [id, query] = [await link.getAttribute('data-item'), (await link.innerText()).trim()];
  return { id, query, sought: `?${new URLSearchParams({ query })}`, opened: `?${new URLSearchParams({ query, item: id })}` };
}

const asksFor = (page, path) => eventually(() => new URL(page.url()).search === path, path);

test('a click on a card counts when the search is only made by leaving its field', async () => {
  const page = await stage.open('/market');
  await settled(page);
  const { id, query, sought, opened } = await firstCard(page);
  // The pause in typing does not end, however slow this machine is.
  await page.evaluate(() => (window.setTimeout = () => 0));
  await page.getByRole('combobox', { name: 'Search the market' }).fill(query);
  await press(page, id);
  assert.equal(await page.evaluate(() => location.search), '', 'nothing moves under a pressed button');
  await page.mouse.up();
  await asksFor(page, opened);
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  await page.goBack();
  await asksFor(page, sought);
});

test('a click on a card counts when the found items arrive while the button is down', async () => {
  const page = await stage.open('/market');
  await settled(page);
  const { id, query, sought, opened } = await firstCard(page);
  let arrive;
  const arrival = new Promise((done) => (arrive = done));
  await page.route('**/api/templates?*', async (route) => {
    await arrival;
    await route.continue();
  });
  await page.getByRole('combobox', { name: 'Search the market' }).fill(query);
  await asksFor(page, sought);
  await press(page, id);
  const [reply] = await Promise.all([page.waitForResponse('**/api/templates?*'), arrive()]);
  await reply.finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.mouse.up();
  await asksFor(page, opened);
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
});

test('says what was not found and how to go on', async () => {
  const page = await stage.open('/market?query=zzzzqqqq');
  await page.getByText('Nothing found for “zzzzqqqq”').waitFor();
  await page.getByRole('button', { name: 'Start over' }).click();
  await page.locator('.cards a').first().waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Search the market' }).inputValue(), '');
});

test('a failing server is named with its request, and trying again helps', async () => {
  const page = await stage.open('/market');
  await settled(page);
  page.expected.push('/api/templates');
  const answer = { ok: false, message: 'm', data: {}, error: { code: 'internal_error', message: 'm' } };
  await page.route('**/api/templates?*', (route) => route.fulfill({ status: 500, json: answer, headers: { 'X-Request-Id': 'req-42' } }));
  await page.getByRole('combobox', { name: 'Search the market' }).fill(target.english);
  const alert = page.getByRole('alert');
  await alert.getByText('req-42').waitFor();
  await page.unroute('**/api/templates?*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  await page.locator(`.cards a[data-item="${target.id}"]`).waitFor();
});

test('an item that is gone says so', async () => {
  const page = await stage.open('/market?item=no-such-item');
  page.expected.push('/api/templates/detail');
  await page.getByRole('heading', { name: 'This item was not found' }).waitFor();
});

test('the language switch changes the page and the catalog, and is remembered', async () => {
  const page = await stage.open(`/market?item=${encodeURIComponent(target.id)}`);
  const heading = page.getByRole('heading', { level: 1 });
  await page.getByRole('button', { name: 'Install', exact: true }).waitFor();
  const english = await heading.innerText();
  await choose(page.getByRole('combobox', { name: 'Language' }), '日本語');
  await page.getByRole('button', { name: 'インストール', exact: true }).waitFor();
  await eventually(async () => (await heading.innerText()) !== english, 'the Japanese title');
  assert.match(await heading.innerText(), /[぀-ヿ一-鿿]/);
  await page.reload();
  await page.getByRole('button', { name: 'インストール', exact: true }).waitFor();
  assert.match(await (await page.request.get('/market')).text(), /<h1>ボットの設定を見つける<\/h1>/, 'the page comes with its heading in the chosen language');
  await page.goto('/member');
  await page.getByRole('heading', { level: 1, name: 'インストール' }).waitFor();
  await choose(page.getByRole('combobox', { name: '言語' }), '简体中文');
  await page.getByRole('heading', { level: 1, name: '安装' }).waitFor();
});

test('the theme switch outweighs the system and is remembered', async () => {
  const page = await stage.open('/market', { theme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Account and settings' }).click();
  await choose(page.getByRole('combobox', { name: 'Theme' }), 'Dark');
  await eventually(async () => (await ground()) !== light, 'the dark ground');
  const dark = await ground();
  await page.reload();
  await eventually(async () => (await ground()) === dark, 'the dark ground after a reload');
});

test('the search of the member console leads to the market', async () => {
  const page = await stage.open('/member');
  await page.getByRole('searchbox').fill(target.english);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/market\?query=/);
  await page.locator(`.cards a[data-item="${target.id}"]`).waitFor();
});
