import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { open } from './lib/browser.mjs';
import { virtualKey } from './lib/passkeys.mjs';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// Passkeys belong to host names: the pages are opened as localhost. The browser's virtual authenticator makes real keys.

const stage = suite(
  async (_, server) => {
    server.members = { otto: JSON.parse(server.run('member', 'add', 'otto', '--json')).password };
    server.run('member', 'grant', 'otto', 'operator');
  },
  { small: true },
);
const named = (base) => base.replace('127.0.0.1', 'localhost');

async function account(user, options) {
  const page = await open(stage.browser, named(stage.server.base), options);
  page.setDefaultTimeout(10_000);
  const key = await virtualKey(page);
  await signIn(page, user ? { userId: user, password: stage.server.members[user] } : stage.server);
  await page.goto('/member?view=session');
  await settled(page);
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
  return { page, key };
}

async function add(page, label) {
  await page.getByLabel('Name of the new passkey').fill(label);
  await page.keyboard.press('Enter');
  await page.getByText('Passkey added.').waitFor();
}

for (const width of ['wide', 'narrow']) {
  test(`a passkey is added, signs in without a password, gets another name and is removed: ${width}`, async () => {
    const { page, key } = await account(undefined, { width });
    await check(page, 'account with passkeys');
    await add(page, `phone ${width}`);
    assert.equal((await key.credentials()).length, 1);
    await check(page, 'a passkey');
    await page.request.post('/api/logout', { data: {} });
    await page.goto('/member');
    await page.getByRole('button', { name: 'Sign in' }).first().click();
    const dialog = page.getByRole('dialog');
    await check(page, 'sign-in with a passkey');
    await key.agree(false);
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dialog.getByRole('alert').getByText('No passkey was used.').waitFor();
    await key.agree(true);
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto('/member?view=session');
    await page.getByRole('button', { name: `Rename phone ${width}` }).click();
    await page.keyboard.type(' 2');
    await page.keyboard.press('Enter');
    await page.getByText('Passkey renamed.').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: /phone/ });
    assert.ok((await row.innerText()).includes(`phone ${width} 2`));
    await row.getByRole('button', { name: /Remove/ }).click();
    await page.getByText('Passkey removed.').waitFor();
    assert.equal(await row.count(), 0);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

test('the second step at the console is a passkey', async () => {
  const { page, key } = await account('otto');
  await add(page, 'otto’s key');
  const [credential] = await key.credentials();
  await page.context().close();
  const desk = await open(stage.browser, named(stage.server.console));
  desk.setDefaultTimeout(10_000);
  const copy = await virtualKey(desk);
  await copy.add(credential);
  await desk.goto('/console');
  await desk.getByLabel('User ID').fill('otto');
  await desk.getByLabel('Password').fill(stage.server.members.otto);
  await desk.getByRole('button', { name: 'Sign in', exact: true }).click();
  await desk.getByRole('link', { name: 'Members' }).click();
  await desk.getByLabel('Invite a member').fill('newcomer');
  await desk.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = desk.getByRole('dialog');
  await dialog.waitFor();
  await check(desk, 'the second step');
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await dialog.waitFor({ state: 'detached' });
  await desk.getByText(/#signin=/).first().waitFor();
  await desk.getByRole('button', { name: 'Sign out' }).click();
  await desk.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await desk.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.deepEqual(desk.problems, []);
  await desk.context().close();
});

test('at an IP address the page says where passkeys are to be had', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.goto('/member?view=session');
  await page.getByText('Passkeys are not available at this address.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add passkey' }).count(), 0);
});
