import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { open } from './lib/browser.mjs';
import { suite } from './lib/suite.mjs';

const password = 'correct horse battery 9';
const stage = suite(async (_, server) => {
  const add = (user) => server.run('member', 'add', user, '--json');
  const made = Object.fromEntries(['rita', 'otto', 'ada'].map((user) => [user, JSON.parse(add(user)).password]));
  server.run('member', 'grant', 'rita', 'reviewer');
  server.run('member', 'grant', 'otto', 'operator');
  server.made = made;
  for (const [id, version] of [['ada/letters', '1.0.0'], ['ada/poems', '1.0.0']]) await submit(server, id, version);
}, { small: true });

async function submit(server, id, version) {
  const login = await fetch(`${server.base}/api/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ user_id: 'ada', password: server.made.ada }) });
  const { data } = await login.json();
  const reply = await fetch(`${server.base}/api/templates/submit`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${data.token}` },
    body: JSON.stringify({ template_id: id, version, title: `Work ${id}`, description: 'For a test.', prompt_template: 'You write kind letters and short poems.', upload_options: { visibility: 'community' } }),
  });
  assert.equal(reply.status, 200, await reply.text());
}

async function enter(user, options) {
  const page = await open(stage.browser, stage.server.console, options);
  page.setDefaultTimeout(10_000);
  await page.goto('/console');
  await page.getByLabel('User ID').fill(user);
  await page.getByLabel('Password').fill(stage.server.made[user] ?? password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return page;
}

test('the console’s sign-in is accessible and says no more than it must', async () => {
  const page = await open(stage.browser, stage.server.console);
  await page.goto('/console');
  await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  await check(page, 'console sign-in');
  await page.getByLabel('User ID').fill('ada');
  await page.getByLabel('Password').fill(stage.server.made.ada);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Wrong user ID or password.').waitFor();
  await page.context().close();
});

test('a reviewer decides by keys alone, in four presses and the password once', async () => {
  const page = await enter('rita');
  await page.getByRole('heading', { level: 1, name: 'Review queue' }).waitFor();
  await page.getByRole('region', { name: 'ada/letters' }).getByRole('button', { name: /Approve/ }).waitFor();
  await check(page, 'review queue');
  assert.equal(await page.getByRole('link', { name: 'Members' }).count(), 0, 'members are for operators');
  // Two presses: a template of a note, and the decision. The password comes between once.
  await page.keyboard.press('3');
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await dialog.getByLabel('Password').fill(stage.server.made.rita);
  await check(page, 'confirm');
  await page.keyboard.press('Enter');
  await page.getByText('Submission rejected').waitFor();
  // The next one: a single press.
  await page.getByRole('region', { name: 'ada/poems' }).getByRole('button', { name: /Approve/ }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('The queue is empty').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('row', { name: /rita Approved ada\/poems/ }).waitFor();
  await check(page, 'audit log');
  await page.context().close();
  const shown = await fetch(`${stage.server.base}/api/templates/detail?template_id=ada/poems`);
  assert.equal(shown.status, 200, 'what was approved is in the market');
});

test('an operator invites, disables and sees the service; the link signs in', async () => {
  const page = await enter('otto', { width: 'narrow' });
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  await page.getByLabel('Invite a member').fill('newcomer');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill(stage.server.made.otto);
  await page.keyboard.press('Enter');
  const link = page.getByText(/#signin=/);
  await link.waitFor();
  await check(page, 'members');
  const member = await stage.open('about:blank');
  await member.goto(await link.innerText());
  await member.getByText('Signed in as newcomer.').waitFor();
  await page.getByRole('row', { name: /newcomer/ }).getByRole('button', { name: /^Disable/ }).click();
  await page.getByRole('row', { name: /newcomer/ }).getByText('Disabled').waitFor();
  await page.getByRole('link', { name: 'Service' }).click();
  await page.getByRole('region', { name: 'Settings in force' }).getByRole('row', { name: /console-listen .* Flag/ }).first().waitFor();
  await check(page, 'service');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `${overflow} px wider than the window`);
  await page.context().close();
});

test('the public listener answers nothing of the console', async () => {
  for (const path of ['/console', '/console/api/me', '/console/api/reviews']) {
    assert.equal((await fetch(stage.server.base + path)).status, 404, path);
  }
  const html = await (await fetch(`${stage.server.console}/console`)).text();
  for (const [, path] of html.matchAll(/(?:src|href)="(\/assets\/console[^"]+)"/g)) {
    assert.equal((await fetch(stage.server.console + path)).status, 200, path);
    assert.equal((await fetch(stage.server.base + path)).status, 404, path);
  }
});
