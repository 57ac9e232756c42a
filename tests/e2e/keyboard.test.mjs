import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backupPath } from './lib/files.mjs';
import { tabTo } from './lib/keys.mjs';
import { eventually, suite, target } from './lib/suite.mjs';

const stage = suite();

test('search, sign-in, trial, installation and removal by keyboard alone', async () => {
  const { server } = stage;
  const page = await stage.open('/market');
  await page.locator('.cards a').first().waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type(target.english);
  await page.locator(`.cards a[data-item="${target.id}"]`).waitFor();
  await tabTo(page, new RegExp(`^A .* ${target.id} `, 's'), 'the card');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Versions' }).waitFor();
  await eventually(() => page.evaluate(() => document.activeElement?.textContent?.includes('by ')), 'the focus on the heading');

  await tabTo(page, /^BUTTON +Install/, 'the install button');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, / username$/, 'the user field');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(server.userId);
  await page.keyboard.press('Tab');
  await page.keyboard.type(server.password);
  await page.keyboard.press('Enter');

  // Signing in goes straight on to what was asked for.
  const dialog = page.getByRole('dialog', { name: /^Install/ });
  await dialog.locator('.plan li').first().waitFor();
  await tabTo(page, /^INPUT.*Automatic/, 'the package source');
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('radio', { name: /^Uploaded/, checked: true }).waitFor();
  await eventually(() => dialog.locator('footer .primary').isEnabled(), 'the plan');
  await tabTo(page, /^BUTTON +Install $|^BUTTON +Install +$/, 'the install button of the dialog');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(/You have version \S+ installed/).waitFor();

  await page.goto('/member');
  await page.getByRole('button', { name: /^Uninstall/ }).waitFor();
  await tabTo(page, /^BUTTON Uninstall/, 'the uninstall button');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing installed yet').waitFor();
  await eventually(() => page.evaluate(() => document.activeElement?.textContent === 'Undo'), 'the focus on undo');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Uninstall/ }).waitFor();
});

test('Ctrl+K comes back to the search, and a dialog keeps the focus and gives it back', async () => {
  const page = await stage.open('/market');
  await page.locator('.cards a').first().waitFor();
  await page.keyboard.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Skip/);
  await page.keyboard.press('Control+k');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');

  const signIn = page.getByRole('button', { name: 'Sign in' });
  await signIn.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (let steps = 0; steps < 8; steps++) {
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest('dialog') !== null));
  }
  await page.keyboard.press('Escape');
  await eventually(() => signIn.evaluate((button) => button === document.activeElement), 'the focus back on the button');
});

test('a bot is imported, reviewed, submitted and followed to its decision by keyboard alone', async () => {
  const { server } = stage;
  const page = await stage.open('/member');
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  await tabTo(page, /^BUTTON +Import local bot configuration/, 'the import');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await tabTo(page, / username$/, 'the user field');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(server.userId);
  await page.keyboard.press('Tab');
  await page.keyboard.type(server.password);
  await page.keyboard.press('Enter');

  // The import goes on by itself; the file is chosen in the system's own window, which has its own keys.
  await page.getByRole('dialog', { name: 'Import a bot setup' }).waitFor();
  const chooser = page.waitForEvent('filechooser');
  await tabTo(page, /^BUTTON +Choose a file/, 'the choice of a file');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(backupPath);
  const review = page.getByRole('dialog', { name: /^Review/ });
  await review.getByRole('tree').waitFor();

  await tabTo(page, /^LI .*Bot core settings/s, 'the tree');
  await page.keyboard.press('End');
  await eventually(() => page.evaluate(() => /^About this pack/.test(document.activeElement.textContent.trim())), 'the last section');
  await page.keyboard.press('Space');
  await eventually(() => page.evaluate(() => document.activeElement.getAttribute('aria-checked') === 'false'), 'the section left out');
  await tabTo(page, / title$/, 'the title');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('By hand');
  await eventually(async () => (await review.locator('[aria-busy=true]').count()) === 0, 'the report');
  await tabTo(page, /^BUTTON +Submit for review/, 'the submission');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Submitted' }).waitFor();
  await tabTo(page, /^A +View submission/, 'the way to the submission');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By hand' }).waitFor();
  await page.getByText('In review').waitFor();

  const id = new URL(page.url()).searchParams.get('submission');
  server.run('review', 'reject', id, '--note', 'Say what it is for.');
  await page.getByText('Say what it is for.').first().waitFor({ timeout: 20_000 });
  await tabTo(page, /^A +Notifications/, 'the notifications');
  await page.keyboard.press('Enter');
  await page.getByText('It was rejected.').waitFor();
});
