import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';

// What members say of an item: written, seen, answered, taken back.

const stage = suite(async (_, server) => {
  const lines = ['seeds', 'pots'].map((name) => ({ id: `ada/${name}`, version: '1.0.0', tags: ['plants'], locales: { 'en-US': { title: name, description: `About ${name}.`, prompt: 'You know plants.' } } }));
  const file = join(server.data, 'items.jsonl');
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  await server.halt();
  server.run('member', 'add', 'ada');
  server.run('import', file, '--owner', 'ada');
  await server.start();
}, { small: true });

const seeds = '/market?item=ada%2Fseeds';

/** Nobody can wait for two weeks here: what was made today is made long ago in the database. */
async function longAgo() {
  const { server } = stage;
  await server.halt();
  execFileSync('python3', ['-c', `
import sqlite3
db = sqlite3.connect(${JSON.stringify(join(server.data, 'stoa.db'))})
db.execute("UPDATE account SET created_at = created_at - 30 * 86400000000")
db.execute("UPDATE installation SET installed_at = installed_at - 30 * 86400000000")
db.commit()
`]);
  await server.start();
}

test('somebody who kept an item rates it, changes that, and takes it back', async () => {
  const page = await stage.open('/member');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await stage.signIn(page);
  await page.goto(seeds);
  const region = () => page.getByRole('region', { name: 'Ratings and reviews' });
  await region().getByText('You can rate this item after you have had it installed for 7 days.').or(region().getByText('Your account must be at least 14 days old')).first().waitFor();
  await page.evaluate(() => fetch('/api/templates/install', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ template_id: 'ada/seeds' }) }));
  await longAgo();
  await page.reload();
  const rating = region();
  await rating.getByRole('radio', { name: '4 of 5 stars' }).check();
  await rating.getByLabel('Review (optional)').fill('It knows its seeds.');
  await axe(page, 'a rating that is being written');
  await rating.getByRole('button', { name: 'Save rating' }).click();
  await rating.getByText('It knows its seeds.').waitFor();
  assert.match(await rating.innerText(), /4 \(1\)/);
  await axe(page, "an item's ratings");
  if (process.env.SHOTS) await rating.screenshot({ path: join(process.env.SHOTS, 'ratings.png') });
  await rating.getByText('How the ranking works').click();
  await rating.getByText(/lower bound of the 95% interval/).waitFor();
  await rating.getByRole('button', { name: 'Remove' }).click();
  await rating.getByText('No ratings that count yet.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await rating.getByText('It knows its seeds.').waitFor();
  // The card has it too, and what is liked comes before what nobody knows.
  await page.goto('/market');
  const cards = page.locator('article.card');
  await page.getByRole('link', { name: 'seeds', exact: true }).waitFor();
  const order = await cards.evaluateAll((all) => all.map((card) => card.innerText));
  assert.ok(order.findIndex((text) => text.includes('seeds')) < order.findIndex((text) => text.includes('pots')), 'rated first');
  assert.match(order.find((text) => text.includes('seeds')), /4 \(1\)/);
});

if (process.env.SHOTS) {
  for (const locale of ['en-US', 'zh-CN', 'ja-JP']) {
    for (const [width, theme] of [['wide', 'light'], ['narrow', 'dark']]) {
      test(`pictures ${locale} ${width}`, async () => {
        const page = await stage.open(seeds, { locale, width, theme });
        const region = page.locator('section:has(#ratings)');
        await region.locator('summary').click();
        await region.screenshot({ path: join(process.env.SHOTS, `ratings-${width}-${locale}.png`) });
      });
    }
  }
}
