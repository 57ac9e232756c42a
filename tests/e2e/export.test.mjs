import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { choose } from './lib/choose.mjs';
import { check as axe } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';

const stage = suite(undefined, { small: true });

test('an item is taken along in another program’s format, and what has no place there is named', async () => {
  const page = await stage.open('/market?pack=profile%2Fofficial-starter');
  await page.getByText('Export for other programs').click();
  await page.getByText(`stoa apply profile/official-starter --server ${stage.server.base} --bot`).waitFor();
  await choose(page.getByRole('combobox', { name: 'Format' }), 'Coding assistants (agents, commands, MCP)');
  await page.getByRole('button', { name: 'Export' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), stage.signIn(page)]);
  assert.equal(file.suggestedFilename(), 'profile-official-starter-agent.zip');
  assert.equal(readFileSync(await file.path()).subarray(0, 2).toString(), 'PK');
  await page.getByText(/^Not in this format \(\d+\)$/).waitFor();
  await axe(page, 'exported');

  await choose(page.getByRole('combobox', { name: 'Format' }), 'Character card (PNG)');
  assert.equal(await page.getByText(/^Not in this format/).count(), 0, 'the report of the other format is gone');
  await page.goto('/market?item=official%2Fcareful-translator');
  await page.getByText('Export for other programs').click();
  const [card] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  const bytes = readFileSync(await card.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(bytes.includes('ccv3'), 'the picture holds the card');
  await page.getByText('Everything of it has a place in this format.').waitFor();
});

for (const [locale, title] of [['zh-CN', '导出到其他程序'], ['ja-JP', 'ほかのプログラム用に書き出す']]) {
  test(`the export speaks ${locale}`, async () => {
    const page = await stage.open('/market?item=official%2Fcareful-translator', { locale });
    await page.getByText(title).waitFor();
  });
}
