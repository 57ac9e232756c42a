import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { open } from './lib/browser.mjs';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// What docs/pages.md says a job takes is counted here: real presses of a pointer, from the page where the job begins.

const stage = suite(
  async (_, server) => {
    server.members = Object.fromEntries(['rita', 'otto'].map((user) => [user, JSON.parse(server.run('member', 'add', user, '--json')).password]));
    server.run('member', 'grant', 'rita', 'reviewer');
    server.run('member', 'grant', 'otto', 'operator');
  },
  { small: true },
);
const told = readFileSync(new URL('../../docs/pages.md', import.meta.url), 'utf8');

/** Counts the clicks until the job is done, over loads of pages too. */
async function counted(page, job, work) {
  let clicks = 0;
  await page.exposeFunction('clicked', () => void clicks++);
  const count = () => addEventListener('pointerdown', () => window.clicked(), true);
  await page.addInitScript(count);
  await page.evaluate(count);
  await work();
  const row = told.split('\n').find((line) => line.includes(`| ${job} |`));
  assert.ok(row, `docs/pages.md has no row for: ${job}`);
  assert.equal(clicks, Number(row.split('|')[3]), job);
}

async function member(path) {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.goto(path);
  await settled(page);
  return page;
}

async function inCharge(user, view) {
  const page = await open(stage.browser, stage.server.console);
  page.setDefaultTimeout(10_000);
  await page.request.post('/console/api/login', { data: { user_id: user, password: stage.server.members[user] } });
  await page.request.post('/console/api/confirm', { data: { password: stage.server.members[user] } });
  await page.goto(`/console?view=${view}`);
  return page;
}

test('a visitor opens an item of the catalog', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await counted(page, 'open an item', async () => {
    await page.locator('a[data-item]').first().click();
    await page.waitForURL(/[?&](item|pack)=/);
    await settled(page);
  });
});

test('a member gets a feed', async () => {
  const page = await member('/member?view=session');
  await counted(page, 'get a private feed of notifications', async () => {
    await page.getByRole('button', { name: 'Create feed address' }).click();
    await page.locator('.made code').waitFor();
  });
});

test('two people take an item down', async () => {
  const asked = await inCharge('rita', 'catalog');
  await counted(asked, 'ask for a takedown', async () => {
    await asked.getByLabel('Item ID').fill('official/careful-translator');
    await asked.getByLabel('Reason or note').fill('For a test.');
    await asked.getByRole('button', { name: 'Ask for takedown' }).click();
    await asked.getByText('asked by rita').waitFor();
  });
  await check(asked, 'takedowns');
  assert.ok(await asked.getByRole('button', { name: /Agree and take down/ }).isDisabled());
  const agreed = await inCharge('otto', 'catalog');
  await counted(agreed, 'agree to a takedown', async () => {
    await agreed.getByRole('button', { name: /Agree and take down/ }).click();
    await agreed.getByText('No takedowns waiting').waitFor();
  });
  for (const page of [asked, agreed]) {
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test('an operator looks at what a member keeps', async () => {
  const page = await inCharge('otto', 'members');
  await counted(page, 'see what a member keeps', async () => {
    await page.getByRole('button', { name: 'Storage and quotas rita' }).click();
    await page.getByRole('dialog').getByRole('table').waitFor();
  });
  await check(page, 'storage of a member');
  await page.context().close();
});
