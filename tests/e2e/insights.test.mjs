import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backup } from './lib/files.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { prepare, settled } from './lib/views.mjs';

/** Besides what every view needs: a pack that a member submitted and the operator approved. */
let published;
const stage = suite(async (browser, server) => {
  await prepare(browser, server);
  const context = await browser.newContext({ baseURL: server.base });
  const post = async (path, data) => (await (await context.request.post(path, { data })).json()).data;
  await post('/api/login', { user_id: server.userId, password: server.password });
  const draft = await post('/api/member/profile-pack/imports', { filename: 'garden.zip', content_base64: backup().toString('base64') });
  const submission = await post('/api/profile-pack/submit', { artifact_id: draft.artifact_id, title: 'Garden', submit_options: { replace_existing: false } });
  await context.close();
  published = submission.pack_id;
  await server.halt();
  server.run('review', 'approve', submission.submission_id);
  await server.start();
});

const plot = (page, title) => page.locator('figure', { has: page.getByText(title, { exact: true }) });

test('a visitor sees what is used, what is featured and what is trending', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await page.getByRole('link', { name: 'Insights' }).click();
  await page.getByRole('heading', { level: 1, name: 'Insights' }).waitFor();
  await page.getByRole('heading', { name: 'Trending packs' }).waitFor();
  const installs = plot(page, 'Installs');
  await installs.waitFor();
  assert.equal(await installs.locator('strong').first().innerText(), '2');
  assert.equal(await installs.getByRole('listitem').count(), 13, 'weeks');
  await page.getByRole('button', { name: '30 days' }).click();
  await eventually(async () => (await installs.getByRole('listitem').count()) === 30, 'days');

  const link = page.locator('section[aria-labelledby=insights-trending] a').first();
  const name = await link.innerText();
  await link.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('heading', { level: 1, name: 'Insights' }).waitFor();
});

test('a plot is walked by arrows, pointed at, and read as a table', async () => {
  const page = await stage.open('/market?view=insights');
  const installs = plot(page, 'Installs');
  await installs.waitFor();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  await installs.locator('[role=listitem][tabindex="0"]').focus();
  assert.match(await focused(), /: 2$/);
  assert.match(await installs.locator('.tip').innerText(), /^2\s/);
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(), /: 0$/);
  await page.keyboard.press('Home');
  const first = await focused();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await focused(), first, 'the end is the end');
  await page.keyboard.press('Escape');
  assert.equal(await installs.locator('.tip').count(), 0);
  await installs.getByRole('listitem').last().hover();
  assert.match(await installs.locator('.tip').innerText(), /^2\s/);

  await installs.getByText('Show as a table').click();
  assert.equal(await installs.getByRole('row').count(), 14);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' '))}`), []);
});

test('the page of an item shows its use, and what its package reaches', async () => {
  const page = await stage.open(`/market?pack=${encodeURIComponent(published)}`);
  const card = page.locator('section[aria-labelledby=reach]');
  await card.getByText('Access the network').waitFor();
  assert.match(await card.innerText(), /Connects to/);
  assert.doesNotMatch(await card.innerText(), /\bsafe\b|network\.outbound/i);
  await plot(page, 'Submissions').waitFor();

  await page.goto('/market?pack=profile%2Fofficial-starter');
  await card.getByText('None found').first().waitFor();
  await plot(page, 'Installs').waitFor();
  await page.goto('/market?pack=profile%2Fsolo');
  await page.getByText('No activity in this period.').waitFor();
});

test('a server without the counts is not asked for them', async () => {
  const page = await stage.open('about:blank');
  await page.route('**/api/ui/capabilities?*', async (route) => {
    const reply = await route.fetch();
    const body = await reply.json();
    body.data.operations = body.data.operations.filter((name) => name !== 'market.activity.read');
    await route.fulfill({ response: reply, json: body });
  });
  const asked = [];
  page.on('request', (request) => request.url().includes('/api/market/activity') && asked.push(request.url()));
  await page.goto('/market?view=insights');
  await page.getByRole('heading', { name: 'Trending packs' }).waitFor();
  assert.equal(await page.locator('figure').count(), 0);
  assert.deepEqual(asked, []);
});
