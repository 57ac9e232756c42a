import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';

// The page of an item: what somebody reads before they install it, and where it leads.

const stage = suite(async (_, server) => {
  const pack = (id, title, description, more = {}) => ({
    id, version: '1.0.0', tags: ['plants', 'calm'], pack_type: 'bot_profile_pack',
    locales: { 'en-US': { title, description }, 'zh-CN': { title: '花园', description: '# 花园\n\n照看**植物**。' }, 'ja-JP': { title: '庭', description: '# 庭\n\n**植物**の世話をします。' } },
    sections: { personas: { entries: { gardener: { system_prompt: 'You tend a garden.', begin_dialogs: ['How often do I water?', 'When the soil is dry.'] } } }, plugins: { rain: { enabled: true } } },
    ...more,
  });
  const lines = [
    pack('ada/garden', 'Garden', '# What it does\n\nTends **plants** and answers [questions](https://example.org/q).\n\n- waters\n- prunes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<img src=x onerror="document.title=1"><script>document.title=2</script>'),
    pack('ada/pots', 'Pots', 'Pots alone.'),
    { id: 'ada/seeds', version: '1.0.0', tags: ['plants'], locales: { 'en-US': { title: 'Seeds', description: 'Names of seeds.', prompt: 'You know seeds.' } } },
  ];
  const file = join(server.data, 'items.jsonl');
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  await server.halt();
  server.run('member', 'add', 'ada');
  server.run('import', file, '--owner', 'ada');
  await server.start();
}, { small: true });

const garden = '/market?pack=ada%2Fgarden';

test('an item can be judged: its text, a conversation, what it works with, and what is like it', async () => {
  const page = await stage.open(garden);
  const about = page.getByRole('region', { name: 'Description' });
  await about.getByRole('heading', { level: 3, name: 'What it does' }).waitFor();
  assert.equal(await about.locator('strong').innerText(), 'plants');
  assert.equal(await about.locator('table td').count(), 2);
  assert.match(await about.getByRole('link', { name: 'questions' }).getAttribute('rel'), /nofollow/);
  assert.equal(await about.locator('img, script').count(), 0, 'nothing of the text can run or be fetched');
  assert.match(await page.title(), /^Garden/);
  await page.getByRole('region', { name: 'Example conversations' }).getByText('When the soil is dry.').waitFor();
  const works = page.getByRole('region', { name: 'Works with' });
  assert.match(await works.innerText(), /AstrBot\s+>=4\.20\s+In part[\s\S]*Left out: Plugins/);
  assert.equal(await page.getByText('Try for two hours').count(), 0);
  await axe(page, "an item's page");
  await page.getByRole('button', { name: 'Copy link' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${stage.server.base}${garden}`);
  await page.getByRole('region', { name: 'Similar items' }).getByRole('link', { name: 'Pots' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pots' }).waitFor();
});

test("an author's page holds all of theirs, and a feed", async () => {
  const page = await stage.open(garden);
  await page.getByRole('link', { name: 'by ada' }).click();
  await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
  await page.getByText('1 template', { exact: true }).waitFor();
  await page.getByText('2 profile packs', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Pots' }).waitFor();
  await axe(page, "an author's page");
  await page.getByRole('radio', { name: 'Templates' }).or(page.getByRole('tab', { name: 'Templates' })).or(page.getByRole('button', { name: 'Templates', exact: true })).first().click();
  await page.getByRole('link', { name: 'Seeds' }).waitFor();
  const feed = await page.request.get(await page.getByRole('link', { name: 'Follow by feed (Atom)' }).getAttribute('href'));
  assert.match(await feed.text(), /<title>Seeds 1\.0\.0<\/title>/);
});

test('a link says what it is about to programs that run no script', async () => {
  const page = await stage.open('/market');
  const html = await (await page.request.get(garden)).text();
  assert.match(html, /<title>Garden · Stoa<\/title>/);
  assert.match(html, /property="og:title" content="Garden"/);
  assert.doesNotMatch(html, /onerror=/);
});

if (process.env.SHOTS) {
  for (const locale of ['en-US', 'zh-CN', 'ja-JP']) {
    for (const [width, theme] of [['wide', 'light'], ['narrow', 'dark']]) {
      test(`pictures ${locale} ${width}`, async () => {
        for (const [name, path] of [['item', garden], ['author', '/market?show=packs&author=ada'], ['market', '/market']]) {
          const page = await stage.open(path, { locale, width, theme });
          await page.waitForLoadState('networkidle');
          await page.screenshot({ path: join(process.env.SHOTS, `${name}-${width}-${locale}.png`), fullPage: true });
        }
      });
    }
  }
}
