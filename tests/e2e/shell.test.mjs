import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { suite, eventually } from './lib/suite.mjs';
import { signIn } from './lib/views.mjs';

const stage = suite(undefined, { small: true });

test('a landing page says what the two halves are for, and leads to each', async () => {
  const page = await stage.open('/');
  await page.getByRole('heading', { level: 1, name: 'Set up your bot. Study your notes.' }).waitFor();
  const live = page.getByRole('region', { name: 'Market' }).getByRole('listitem');
  await eventually(async () => (await live.count()) === 4, 'what is in the market now');
  await check(page, 'home');
  await page.getByRole('link', { name: 'Start learning' }).click();
  await page.waitForURL('**/learn');
  await page.getByRole('navigation', { name: 'Stoa' }).getByRole('link', { name: 'Market', exact: true }).click();
  await page.waitForURL('**/market');
});

test('every surface leads to the other by the same header', async () => {
  const page = await stage.open('/market');
  await signIn(page, stage.server);
  for (const path of ['/', '/market', '/learn', '/runtime']) {
    await page.goto(path);
    const surfaces = page.getByRole('navigation', { name: 'Stoa' });
    for (const name of ['Market', 'Learn']) await surfaces.getByRole('link', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Account and settings' }).waitFor();
    await page.getByRole('link', { name: /^Notifications/ }).waitFor();
  }
});

test('the member console keeps to two ways out of its head, with its import and its search', async () => {
  const page = await stage.open('/member');
  await signIn(page, stage.server);
  await page.reload();
  const head = page.locator('header.topbar');
  await head.getByRole('button', { name: 'Import local bot configuration' }).waitFor();
  const links = await head.getByRole('navigation').getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.deepEqual(links, ['/member', '/market']);
  assert.equal(await page.locator('a[href^="/console"], a[href^="/learn"], a[href^="/runtime"]').count(), 0);
});

test('the menu of the account works by keys alone and closes by Escape', async () => {
  const page = await stage.open('/market');
  await signIn(page, stage.server);
  await page.reload();
  const opener = page.getByRole('button', { name: 'Account and settings' });
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Member console/);
  await check(page, 'menu open');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Preferences' }).waitFor({ state: 'detached' });
  assert.equal(await opener.evaluate((button) => button === document.activeElement), true);
});

test('what has come since the last look is counted, until it is looked at', async () => {
  const page = await stage.open('/market');
  await signIn(page, stage.server);
  const events = [1, 2].map((n) => ({ id: `n${n}`, at: `2026-11-21T0${n}:00:00Z`, kind: 'trial_expired', target: 'official/careful-translator', message: 'x' }));
  await page.route('**/api/notifications*', (route) => route.fulfill({ json: { ok: true, message: '', data: { user_id: stage.server.userId, events, next_cursor: '' } } }));
  await page.reload();
  await page.getByRole('link', { name: 'Notifications, 2 unread' }).click();
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
  await eventually(async () => (await page.getByText('Trial ended').count()) === 2, 'the list');
  await page.goto('/market');
  await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
});

test('a wrong address is answered by a page in the reader’s language, and by JSON to programs', async () => {
  const page = await stage.open('/nope', { locale: 'ja-JP' });
  page.expected.push('/nope');
  await page.getByRole('heading', { level: 2, name: 'ページが見つかりません' }).waitFor();
  await check(page, 'missing');
  assert.equal((await page.request.get('/nope', { headers: { accept: 'text/html' } })).status(), 404);
  const json = await page.request.get('/nope', { headers: { accept: 'application/json' } });
  assert.equal((await json.json()).error.code, 'not_found');
  for (const [path, type] of [['/favicon.ico', 'image/x-icon'], ['/manifest.webmanifest', 'application/manifest+json'], ['/robots.txt', 'text/plain'], ['/icon-192.png', 'image/png']]) {
    const reply = await page.request.get(path);
    assert.equal(reply.status(), 200, path);
    assert.match(reply.headers()['content-type'], new RegExp(`^${type.replace(/[+/]/g, '.')}`));
  }
});
