import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite } from './lib/suite.mjs';
import { settled } from './lib/views.mjs';

// A server that lets everybody in as one anonymous member.

const stage = suite(undefined, { small: true, flags: ['--allow-anonymous-member'] });
const item = '/market?item=official%2Fcareful-translator';
const nav = (page, name) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name });

test('anonymously one installs and removes; for what needs a name, the sign-in is offered', async () => {
  const page = await stage.open(item);
  await page.getByRole('button', { name: 'Start talking' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Install/ });
  await dialog.locator('.plan li').first().waitFor();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await page.getByText(/You have version \S+ installed/).waitFor();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign out', exact: true }).count(), 0, 'there is no session to end');

  await page.goto('/member');
  await page.getByRole('button', { name: /^Uninstall/ }).click();
  await page.getByText('Nothing installed yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: /^Uninstall/ }).waitFor();

  for (const view of ['Upload center', 'Submissions']) {
    await nav(page, view).click();
    await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  }
  assert.equal(await page.locator('main input[type=file]').count(), 0);
  for (const view of ['Activity', 'Notifications', 'Preferences']) {
    await nav(page, view).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
    await settled(page);
    assert.equal(await page.getByRole('heading', { name: 'Sign in to see this' }).count(), 0, view);
    assert.equal(await page.locator('main [role=alert]').count(), 0, view);
  }
});

test('signing in and out changes what is there at once, also under the same name', async () => {
  const page = await stage.open('/member?view=upload');
  await page.evaluate(() => (window.same = true));
  const asked = page.getByRole('heading', { name: 'Sign in to see this' });
  await asked.waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await stage.signIn(page);
  await page.getByRole('heading', { name: 'Drafts' }).waitFor();
  await asked.waitFor({ state: 'detached' });

  await nav(page, 'Account').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('Signed out.').waitFor();
  await nav(page, 'Upload center').click();
  await asked.waitFor();
  await nav(page, 'Installed').click();
  await settled(page);
  assert.equal(await asked.count(), 0, 'the anonymous member has a list');
  assert.ok(await page.evaluate(() => window.same), 'the page was never loaded again');
});

test('the full prompt is shown to who signs in, and taken away with the session', async () => {
  const page = await stage.open(item);
  await page.getByRole('button', { name: 'Sign in to read the full prompt' }).click();
  await stage.signIn(page);
  await page.getByRole('button', { name: 'Copy prompt' }).waitFor();
  await page.getByRole('button', { name: 'Account and settings' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in to read the full prompt' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Copy prompt' }).count(), 0);
});

test('a server that no longer takes anonymous members is noticed without a reload, and so is one that does again', async () => {
  const page = await stage.open('/member');
  page.expected.push('/api/member/');
  await page.getByRole('button', { name: 'Refresh' }).waitFor();
  await settled(page);
  const { server } = stage;
  const flags = server.flags;
  const restart = async (next) => {
    await server.halt();
    server.flags = next;
    await server.start();
  };
  await restart([]);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Refresh' }).count(), 0);

  await restart(flags);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await stage.signIn(page);
  await page.getByRole('button', { name: 'Refresh' }).waitFor();
  await eventually(async () => (await page.request.post('/api/logout', { data: {} })).ok(), 'the end of the session elsewhere');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await nav(page, 'Upload center').click();
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
});
