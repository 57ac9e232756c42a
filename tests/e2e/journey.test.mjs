import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalog } from './lib/server.mjs';
import { eventually, suite, target } from './lib/suite.mjs';

const stage = suite();
const card = (page) => page.locator(`.cards a[data-item="${target.id}"]`);

test('a newcomer finds a template in three languages', async () => {
  for (const [locale, words] of [['en-US', target.english], ['zh-CN', target.chinese], ['ja-JP', target.japanese]]) {
    const page = await stage.open('/market', { locale });
    await page.locator('input[name=query]').pressSequentially(words);
    await card(page).waitFor();
    await eventually(() => new URL(page.url()).searchParams.get('query') === words, 'the search in the address');
    assert.equal(await page.locator('html').getAttribute('lang'), locale);
  }
});

test('finds, signs in, tries, installs with options, restarts, updates, uninstalls and takes that back', async () => {
  const { server } = stage;
  const page = await stage.open('/market');
  await page.getByRole('combobox', { name: 'Search the market' }).fill(target.english);
  await card(page).click();
  await page.getByRole('heading', { name: 'Checks' }).waitFor(); // before it the heading may be "Loading…"
  const title = await page.getByRole('heading', { level: 1 }).textContent();
  assert.match(await page.locator('main').innerText(), /No findings in the checks run by scanner \S+/);

  // Trying needs a member: the dialog comes up, and the conversation opens when the visitor has signed in.
  await page.getByRole('button', { name: 'Start talking' }).click();
  await stage.signIn(page);
  await page.getByLabel('Your question', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Show the full prompt' }).click();
  await page.getByRole('button', { name: 'Copy prompt' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await page.locator('pre').innerText());

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download package' }).click()]);
  assert.match(download.suggestedFilename(), /\.zip$/);
  assert.equal(readFileSync(await download.path()).subarray(0, 2).toString(), 'PK');

  await page.getByRole('button', { name: 'Install', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Version 1.0.0 is installed and stays pinned').waitFor();
  await dialog.getByRole('radio', { name: /^Generated/ }).check();
  await dialog.getByText('Generated package,').waitFor();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await page.getByText('You have version 1.0.0 installed.').waitFor();

  // A second install says that nothing will happen unless it is forced.
  await page.getByRole('button', { name: 'Reinstall' }).click();
  await dialog.getByText('Your installation is replaced').waitFor();
  await dialog.getByRole('checkbox', { name: /^Reinstall the latest version/ }).uncheck();
  await dialog.getByText('Nothing: version 1.0.0 is already installed').waitFor();
  assert.ok(await dialog.locator('footer .primary').isDisabled());
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('link', { name: 'View installed items' }).click();
  const row = page.locator('article', { hasText: title });
  await row.waitFor();
  await row.getByText('Package and options').click();
  await row.getByText('Generated', { exact: true }).waitFor();

  // The server stops and starts again, with a newer version published meanwhile.
  await server.halt();
  if (catalog) publish(server, '1.1.0');
  await server.start();
  await page.reload();
  await row.waitFor();
  if (catalog) {
    await row.getByText('Update 1.0.0 → 1.1.0').waitFor();
    await row.getByRole('button', { name: /^Update/ }).click();
    await row.getByText('Version 1.1.0').waitFor();
  }

  await row.getByRole('button', { name: /^Uninstall/ }).click();
  await row.waitFor({ state: 'detached' });
  const undo = page.getByRole('button', { name: 'Undo' });
  await eventually(() => undo.evaluate((button) => button === document.activeElement), 'the focus on the way back');
  await page.keyboard.press('Enter');
  await row.waitFor();
  await row.getByText('Package and options').click();
  await row.getByText('Generated', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Uninstalled' }).first().waitFor();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('heading', { name: 'Installed' }).first().waitFor();
});

test('a profile pack installs with the sections that were chosen', async () => {
  const page = await stage.open('/market');
  await page.getByRole('button', { name: 'Profile packs' }).click();
  await page.locator('.cards a').first().click();
  await page.getByRole('heading', { name: 'Contents' }).waitFor();
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await stage.signIn(page);
  const dialog = page.getByRole('dialog');
  await dialog.locator('.plan li').first().waitFor();
  const sections = dialog.locator('fieldset').nth(1).getByRole('checkbox');
  const count = await sections.count();
  assert.ok(count > 1, 'the pack has sections to choose from');
  await sections.first().uncheck();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await page.getByText(/You have version \S+ installed/).waitFor();
  const list = await (await page.request.get('/api/member/installations')).json();
  const pack = list.data.installations.find((item) => item.kind === 'profile_pack');
  assert.equal(pack.install_options.selected_sections.length, count - 1);
});

test('preferences are kept', async () => {
  const page = await stage.open('/member?view=preferences');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await stage.signIn(page);
  await page.getByRole('radio', { name: /^In the conversation/ }).check();
  await page.getByRole('checkbox', { name: /^Show task details/ }).check();
  await page.getByText('Saved.').first().waitFor();
  await page.reload();
  await eventually(() => page.getByRole('radio', { name: /^In the conversation/ }).isChecked(), 'the chosen mode');
  assert.ok(await page.getByRole('checkbox', { name: /^Show task details/ }).isChecked());
});

function publish(server, version) {
  const line = readFileSync(catalog, 'utf8').split('\n').find((text) => text.includes(`"id": "${target.id}"`));
  const item = { ...JSON.parse(line), version };
  item.locales['en-US'].prompt += '\n\nAnswer briefly.';
  const file = join(server.data, 'newer.jsonl');
  writeFileSync(file, JSON.stringify(item));
  server.run('import', file);
}
