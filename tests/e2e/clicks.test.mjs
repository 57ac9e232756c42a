import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { startBot } from './lib/bot.mjs';
import { open } from './lib/browser.mjs';
import { startModel } from './lib/model.mjs';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// What docs/pages.md says a job takes is counted here: real presses of a pointer, from the page where the job begins.

const stage = suite(
  async (_, server) => {
    server.members = Object.fromEntries(['rita', 'otto', 'ada'].map((user) => [user, JSON.parse(server.run('member', 'add', user, '--json')).password]));
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

// The bot is the fake of internal/astrbottest. What the real one needs then is one line in a chat, which the page names.
test('a newcomer finds a persona and has it in a bot that runs, ready to talk', async () => {
  const bot = await startBot();
  try {
    const page = await member('/market');
    await counted(page, 'have a persona from the catalog in a running bot, from the market after signing in', async () => {
      await page.locator('a[data-item*="careful-translator"]').first().click();
      await page.getByRole('button', { name: 'Put into my bot' }).click();
      await page.getByRole('textbox', { name: 'Address of the bot' }).fill(bot.open);
      await page.getByLabel('API key of the bot').fill(bot.key);
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await page.getByRole('button', { name: 'Apply to the bot' }).click();
      await page.getByText('Done and read back from the bot: 1 new').waitFor();
      await page.getByText('/persona').waitFor();
    });
    assert.match(await bot.snapshot(), /persona .*Careful/i);
    page.problems = page.problems.filter((text) => !text.includes('127.0.0.1') && !text.includes('net::ERR'));
    page.expected.push(bot.open);
  } finally {
    bot.stop();
  }
});

test('a newcomer talks to a persona', async () => {
  const model = await startModel();
  try {
    const page = await member('/market');
    await counted(page, 'talk to a persona of the catalog, with a model server of one\'s own, from the market', async () => {
      await page.locator('a[data-item*="careful-translator"]').first().click();
      await page.getByRole('button', { name: 'Start talking' }).click();
      await page.getByLabel('Address', { exact: true }).fill(`${model.base}/open/v1/`);
      await page.getByLabel('Name of the model', { exact: true }).fill('polite');
      await page.getByLabel('Your question', { exact: true }).fill('Good morning');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('I translate').waitFor();
    });
    assert.equal(model.asked.at(-1).body.messages[0].role, 'system');
    page.problems = page.problems.filter((text) => !text.includes(model.base));
  } finally {
    model.stop();
  }
});

test('a visitor opens an item of the catalog', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await counted(page, 'open an item', async () => {
    await page.locator('a[data-item]').first().click();
    await page.waitForURL(/[?&](item|pack)=/);
    await settled(page);
  });
});

test('a newcomer installs a template', async () => {
  const page = await member('/market');
  await counted(page, 'install a template from the catalog', async () => {
    await page.locator('a[data-item]').first().click();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    await page.getByText(/^You have version/).waitFor();
  });
});

test('a newcomer finds what they look for by typing', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await counted(page, 'find an item by its words', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('translator');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /Careful translator/i }).first().waitFor();
  });
});

test('a publisher submits a template', async () => {
  const page = await member('/market?view=upload');
  await counted(page, 'submit a template that is written on the page', async () => {
    await page.getByRole('button', { name: 'Write it here' }).click();
    await page.getByRole('textbox', { name: 'Template identifier' }).fill('webui-user/letters');
    await page.getByRole('textbox', { name: 'Title' }).fill('Letters');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('You write kind letters.');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('Submitted for review: webui-user/letters').waitFor();
  });
});

test('a learner begins with the sample notes', async () => {
  const page = await member('/learn');
  await counted(page, 'bring in the sample notes and begin a session', async () => {
    await page.getByRole('button', { name: 'Try the sample vault' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).first().click();
    await page.locator('.run').first().waitFor();
  });
});

test('a member makes a token and asks for everything about them', async () => {
  const page = await member('/member?view=session');
  await counted(page, 'make an API token', async () => {
    await page.getByLabel('Name', { exact: true }).fill('backup');
    await page.keyboard.press('Enter');
    await page.getByText('Copy this token now.').waitFor();
  });
  const other = await member('/member?view=session');
  await counted(other, 'download all data about oneself', async () => {
    const download = other.waitForEvent('download');
    await other.getByRole('button', { name: 'Download ZIP' }).click();
    await download;
  });
});

test('a reviewer publishes a submission', async () => {
  const login = await fetch(`${stage.server.base}/api/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ user_id: 'ada', password: stage.server.members.ada }) });
  const { data } = await login.json();
  await fetch(`${stage.server.base}/api/templates/submit`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${data.token}` },
    body: JSON.stringify({ template_id: 'ada/poems', version: '1.0.0', title: 'Poems', description: 'For a test.', prompt_template: 'You write short poems.', upload_options: { visibility: 'community' } }),
  });
  const page = await inCharge('rita', 'reviews');
  await page.getByRole('button', { name: /ada\/poems/ }).click();
  const shown = page.getByRole('region', { name: 'ada/poems' });
  await shown.getByRole('button', { name: /Approve/ }).waitFor();
  await counted(page, 'publish a submission that is open in the queue', async () => {
    await shown.getByRole('button', { name: /Approve/ }).click();
    await shown.waitFor({ state: 'detached' });
  });
  await page.context().close();
});

test('an operator invites a member and gives one more room', async () => {
  const page = await inCharge('otto', 'members');
  await counted(page, 'invite a member', async () => {
    await page.getByLabel('Invite a member').fill('newcomer');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText(/#signin=/).waitFor();
  });
  await page.context().close();
  const limits = await inCharge('otto', 'members');
  await counted(limits, 'change a limit of a member', async () => {
    await limits.getByRole('button', { name: 'Storage and quotas rita' }).click();
    const dialog = limits.getByRole('dialog');
    const kind = dialog.getByLabel('Change the limit of');
    // By the keys of the list: type-ahead, and Enter chooses.
    await kind.focus();
    await limits.keyboard.press('Space');
    await limits.keyboard.type('Notes');
    await limits.keyboard.press('Enter');
    assert.equal(await kind.getAttribute('data-value'), 'notes');
    await dialog.getByLabel('New limit').fill('5');
    await dialog.getByRole('button', { name: 'Set limit' }).click();
    await dialog.getByText('Set for this member: 5').waitFor();
  });
  await check(limits, 'limits of a member');
  await limits.context().close();
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
