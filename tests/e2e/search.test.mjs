import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite, target } from './lib/suite.mjs';
import { settled } from './lib/views.mjs';

const stage = suite();
const field = (page) => page.locator('input[name=query]');
const options = (page) => page.locator('[role=listbox] [role=option]');

/** All words at once: typed one by one on a slow machine, the answer for a part of them comes first and is replaced. */
async function offered(page, words = target.english) {
  await field(page).fill(words);
  await options(page).first().waitFor();
}

test('the search offers what it finds, and says how much, without moving the page', async () => {
  const page = await stage.open('/market');
  await settled(page);
  const top = () => page.locator('main').evaluate((main) => main.getBoundingClientRect().top);
  const before = await top();
  const search = page.getByRole('combobox', { name: 'Search the market' });
  assert.equal(await search.getAttribute('aria-expanded'), 'false');
  await offered(page);
  assert.equal(await search.getAttribute('aria-expanded'), 'true');
  assert.equal(await top(), before);
  const count = await options(page).count();
  assert.ok(count > 0 && count <= 8);
  await page.getByText(new RegExp(`^${count} suggestions?$`)).waitFor();
  // The cards that the same words find are not under it.
  const list = await page.getByRole('listbox').boundingBox();
  const card = await page.locator('.cards article').first().boundingBox();
  assert.ok(list.y + list.height <= card.y, `the list ends at ${list.y + list.height}, the cards begin at ${card.y}`);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' '))}`), []);
});

test('arrows go round, Enter opens, Escape puts away, and Tab leaves', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await offered(page);
  const count = await options(page).count();
  const at = () => page.evaluate(() => document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.getAttribute('id')?.split('-').at(-1) ?? 'text');
  await page.keyboard.press('ArrowDown');
  assert.equal(await at(), '0');
  assert.equal(await options(page).first().getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowUp');
  assert.equal(await at(), 'text');
  await page.keyboard.press('ArrowUp');
  assert.equal(await at(), String(count - 1));

  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  assert.equal(await field(page).inputValue(), target.english, 'the words stay');
  await page.keyboard.press('ArrowDown');
  await options(page).first().waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });

  await field(page).focus();
  await page.keyboard.press('ArrowDown');
  await options(page).first().waitFor();
  await page.keyboard.press('ArrowDown');
  const title = await options(page).first().locator('.title').innerText();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  assert.ok(new URL(page.url()).searchParams.get('item'));
  await page.goBack();
  await eventually(() => new URL(page.url()).search === `?${new URLSearchParams({ query: target.english })}`, 'the list of what was found');
});

test('Enter without a choice searches, and a press on a suggestion opens it', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await offered(page);
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await page.locator(`.cards a[data-item="${target.id}"]`).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('item'), null);
  await page.keyboard.press('ArrowDown');
  const option = options(page).first();
  await option.waitFor();
  const title = await option.locator('.title').innerText();
  await option.click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
});

test('an input method keeps its keys, and is searched when it has composed', async () => {
  const page = await stage.open('/market', { locale: 'ja-JP' });
  await settled(page);
  const asked = [];
  page.on('request', (request) => request.url().includes('/api/templates?') && asked.push(request.url()));
  await field(page).focus();
  const ime = await page.context().newCDPSession(page);
  await ime.send('Input.imeSetComposition', { text: target.japanese, selectionStart: 2, selectionEnd: 2 });
  await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', isComposing: true, bubbles: true })));
  await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })));
  assert.deepEqual(asked, []);
  await ime.send('Input.insertText', { text: target.japanese });
  await options(page).first().waitFor();
  await page.locator(`.cards a[data-item="${target.id}"]`).waitFor();
});

test('an answer that comes late or not at all offers nothing', async () => {
  const page = await stage.open('/market');
  await settled(page);
  page.expected.push('/api/templates', '/api/profile-pack/catalog');
  let answer;
  const late = new Promise((done) => (answer = done));
  await page.route('**/api/templates?*limit=6*', async (route) => {
    await late;
    await route.continue().catch(() => {});
  });
  const request = page.waitForRequest('**/api/templates?*limit=6*');
  await field(page).fill(target.english);
  await request;
  await page.keyboard.press('Tab');
  answer();
  await page.locator(`.cards a[data-item="${target.id}"]`).waitFor();
  assert.ok(await page.getByRole('listbox').isHidden());
});
