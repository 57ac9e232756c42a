import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite, target } from './lib/suite.mjs';

const stage = suite();

/** Tab until something is focused that matches; the way there must not be endless. */
async function tabTo(page, matches, what) {
  for (let steps = 0; steps < 120; steps++) {
    const name = await page.evaluate(() => {
      const at = document.activeElement;
      return `${at?.tagName} ${at?.getAttribute('aria-label') ?? ''} ${at?.closest('label')?.textContent ?? ''} ${at?.textContent ?? ''} ${at?.getAttribute('data-item') ?? ''} ${at?.getAttribute('name') ?? ''}`;
    });
    if (matches.test(name)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the keyboard does not reach ${what}`);
}

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
