import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suite } from './lib/suite.mjs';
import { everyView } from './lib/access.mjs';
import { prepare } from './lib/views.mjs';

const stage = suite(prepare);

everyView(stage, 'wide');

test('the API page renders under its policy', async () => {
  const page = await stage.open('/api/docs');
  await page.getByRole('heading', { name: /^Stoa/ }).waitFor();
  await page.locator('#operations-tag-catalog').click();
  await page.locator('#operations-catalog-listTemplates button.opblock-summary-control').click();
  await page.locator('#operations-catalog-listTemplates .parameters').first().waitFor();
});

test('a page without scripts says where to go', async () => {
  const page = await stage.open('/market', { javaScriptEnabled: false });
  assert.match(await page.locator('body').innerText(), /needs scripts/);
});
