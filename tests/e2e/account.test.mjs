import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import ICAL from 'ical.js';
import { check } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A member's own account: tokens, all data as a file, deletion and its undo, by keyboard where a form is.

const stage = suite(undefined, { small: true, flags: ['--publish-issuers', 'default'] });

async function account(options) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  await page.goto('/member?view=session');
  await settled(page);
  await page.getByRole('heading', { name: 'API tokens' }).waitFor();
  return page;
}

for (const width of ['wide', 'narrow']) {
  test(`a token is made, shown once and revoked: ${width}`, async () => {
    const page = await account({ width });
    await check(page, 'account');
    await page.getByLabel('Name', { exact: true }).fill(`backup ${width}`);
    await page.keyboard.press('Enter');
    await page.getByText('Copy this token now.').waitFor();
    const token = await page.locator('.made code').innerText();
    await check(page, 'a new token');
    const as = { headers: { Authorization: `Bearer ${token}` } };
    const { data } = await (await page.request.get('/api/account/tokens')).json();
    assert.equal(data.tokens[0].label, `backup ${width}`);
    assert.equal(data.tokens[0].token, undefined, 'the list has no secrets');
    const bare = await stage.browser.newContext({ baseURL: stage.server.base });
    assert.equal((await bare.request.get('/api/preferences', as)).status(), 200);
    await page.getByRole('button', { name: `Revoke backup ${width}` }).click();
    await page.getByText('Token revoked.').waitFor();
    assert.equal((await bare.request.get('/api/preferences', as)).status(), 401);
    await bare.close();
  });
}

for (const width of ['wide', 'narrow']) {
  test(`a pipeline is trusted to publish, and no longer: ${width}`, async () => {
    const page = await account({ width });
    await page.getByText('You trust no pipelines.').waitFor();
    const part = page.locator('section', { has: page.getByRole('heading', { name: 'Trusted publishers' }) });
    // What is not one's own is said before anything is kept.
    page.expected.push('/api/account/publishers');
    await part.getByLabel('Item').fill('somebody/garden');
    await part.getByLabel('Repository').fill('octo/garden');
    await page.keyboard.press('Enter');
    await part.getByText('must be under your own name').first().waitFor();
    await check(page, 'a publisher that is refused');
    await part.getByLabel('Item').fill(`${stage.server.userId}/*`);
    await part.getByLabel('Workflow file').fill('publish.yml');
    await page.keyboard.press('Enter');
    await page.getByText('Publisher added.').waitFor();
    const { data } = await (await page.request.get('/api/account/publishers')).json();
    assert.equal(data.publishers[0].repository, 'octo/garden');
    assert.equal(data.publishers[0].workflow, 'publish.yml');
    assert.equal(data.publishers[0].issuer, 'https://token.actions.githubusercontent.com');
    await check(page, 'a trusted publisher');
    if (process.env.SHOTS) await part.screenshot({ path: `${process.env.SHOTS}/publishers-${width}.png` });
    const remove = part.getByRole('button', { name: 'Remove octo/garden for' });
    await remove.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Publisher removed.').waitFor();
    await page.getByText('You trust no pipelines.').waitFor();
  });
}

test('all data comes as one ZIP file', async () => {
  const page = await account();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download ZIP' }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /\.zip$/);
  assert.equal(readFileSync(await file.path()).subarray(0, 2).toString(), 'PK');
});

test('an account is to be deleted, says so on every surface, and is kept after all', async () => {
  const page = await account();
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Public items you published stay in the market.').waitFor();
  await check(page, 'the question before a deletion');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Keep my account' }).waitFor();
  await check(page, 'an account to be deleted');
  await page.goto('/learn');
  await settled(page);
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await page.getByRole('button', { name: 'Keep my account' }).waitFor({ state: 'detached' });
  const { data } = await (await page.request.get('/api/account')).json();
  assert.equal(data.deletes_at, '');
});

test('a member chooses where to be told of what, and gets a private feed and a signed webhook', async () => {
  const page = await account();
  const box = page.getByRole('checkbox', { name: 'Update available: Webhook' });
  await box.waitFor();
  await check(page, 'notification settings');
  await box.check();
  await page.getByText('Saved.').first().waitFor();
  const read = async () => (await (await page.request.get('/api/account/notifications')).json()).data;
  assert.deepEqual((await read()).kinds.find(({ kind }) => kind === 'update_available'), { kind: 'update_available', page: true, feed: true, mail: false, webhook: true });
  await page.getByRole('button', { name: 'Create feed address' }).click();
  const address = await page.locator('.made code').filter({ hasText: 'notifications.atom' }).innerText();
  await check(page, 'a feed’s address');
  const bare = await stage.browser.newContext();
  assert.match(await (await bare.request.get(address)).text(), /<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/);
  await page.getByRole('button', { name: 'Turn feed off' }).click();
  await page.getByRole('button', { name: 'Create feed address' }).waitFor();
  assert.equal((await bare.request.get(address)).status(), 404);
  await bare.close();
  await page.getByLabel('Webhook URL').fill('https://hooks.example/stoa');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.made code').innerText(), /^whsec_/);
  assert.equal((await read()).webhook_url, 'https://hooks.example/stoa');
});

test('a member is reminded in a calendar that Thunderbird’s parser reads', async () => {
  const page = await account();
  const post = (path, data) => page.request.post(path, { data, headers: { Origin: new URL(page.url()).origin } });
  assert.equal((await post('/api/knowledge/ingest', { documents: [{ sourcePath: 'tides.md', content: '# Tides\n\nTides are the rise and fall of the sea that the moon causes.\n' }] })).status(), 200);
  const { data: graph } = await (await page.request.get('/api/knowledge/graph')).json();
  for (let i = 0; i < 4; i++) assert.equal((await post('/api/knowledge/mastery/diagnose', { observations: [{ atomId: graph.nodes[0].atomId, outcome: 'correct' }] })).status(), 200);
  const panel = page.locator('#reminders');
  await panel.getByLabel('Time of day').fill('07:45');
  await panel.getByRole('checkbox', { name: 'Alert me at this time' }).check();
  await check(page, 'reminders in a calendar');
  await panel.getByRole('button', { name: 'Create calendar address' }).focus();
  await page.keyboard.press('Enter');
  const address = await panel.locator('.made code').innerText();
  await check(page, 'a calendar’s address');
  assert.equal(await panel.getByRole('link', { name: 'Open in calendar app' }).getAttribute('href'), address.replace('http', 'webcal'));
  const { data } = await (await page.request.get('/api/account/calendar')).json();
  assert.deepEqual({ ...data, user_id: '' }, { user_id: '', on: true, timeOfDay: '07:45', timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: 'en-US', alarm: true });
  const bare = await stage.browser.newContext();
  const answer = await bare.request.get(address);
  assert.equal(answer.headers()['content-type'], 'text/calendar; charset=utf-8');
  const calendar = new ICAL.Component(ICAL.parse(await answer.text()));
  assert.equal(calendar.getFirstPropertyValue('name'), 'Stoa reviews');
  assert.equal(calendar.getFirstPropertyValue('refresh-interval').toSeconds(), 3600);
  const [event] = calendar.getAllSubcomponents('vevent');
  assert.match(event.getFirstPropertyValue('summary'), /^\d+ questions? due, about \d+ min$/);
  const start = event.getFirstPropertyValue('dtstart').toJSDate();
  assert.deepEqual([start.getHours(), start.getMinutes()], [7, 45]);
  assert.equal(event.getFirstSubcomponent('valarm').getFirstPropertyValue('trigger').toSeconds(), 0);
  await panel.getByRole('button', { name: 'Turn calendar off' }).click();
  await panel.getByRole('button', { name: 'Create calendar address' }).waitFor();
  assert.equal((await bare.request.get(address)).status(), 404);
  await bare.close();
});
