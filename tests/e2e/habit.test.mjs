import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { backupPath, zip } from './lib/files.mjs';
import { eventually, suite } from './lib/suite.mjs';

// Publishing again and again: what was begun is there, what was published is where the next version begins, and what was asked
// for is not forgotten.

const stage = suite(async (_, server) => {
  server.made = Object.fromEntries(['ada', 'bob'].map((user) => [user, JSON.parse(server.run('member', 'add', user, '--json')).password]));
}, { small: true });

async function shot(page, name) {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
}

function approve(id) {
  stage.server.run('review', 'show', id, '--all');
  stage.server.run('review', 'approve', id);
}

async function submitted(page, data) {
  const reply = await page.request.post('/api/templates/submit', { data });
  assert.ok(reply.ok(), await reply.text());
  return (await reply.json()).data.submission_id;
}

test('a setup that was begun is there after the page was lost, and begins the next version', async () => {
  const page = await stage.as('ada', '/member?view=upload');
  const bring = async () => {
    await page.getByRole('button', { name: /^Import/ }).first().click();
    await page.locator('dialog .zone input[type=file]').setInputFiles(backupPath);
    await page.getByRole('tree').waitFor();
  };
  await bring();
  const review = page.getByRole('dialog');
  await review.getByRole('textbox', { name: 'Title' }).fill('A gardener');
  await review.getByRole('textbox', { name: 'Pack identifier' }).fill('ada/gardener');
  await review.getByRole('textbox', { name: 'Tags' }).fill('plants, calm');
  await review.getByRole('treeitem', { name: /^Environment/ }).locator('.box').click();
  await review.getByText('Draft saved', { exact: false }).first().waitFor();
  await shot(page, 'draft-saved');
  await page.reload(); // nobody pressed anything
  await page.getByRole('button', { name: /^Review: / }).first().click();
  await page.getByRole('tree').waitFor();
  assert.equal(await review.getByRole('textbox', { name: 'Title' }).inputValue(), 'A gardener');
  assert.equal(await review.getByRole('textbox', { name: 'Tags' }).inputValue(), 'plants, calm');
  assert.equal(await review.getByRole('treeitem', { name: /^Environment/ }).getAttribute('aria-checked'), 'false');
  await review.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted, waiting for review').first().waitFor();
  const list = (await (await page.request.get('/api/member/profile-pack/submissions?limit=5')).json()).data.submissions;
  approve(list[0].submission_id);

  // The next day the same bot is brought in again.
  await page.goto('/member?view=upload');
  await bring();
  await review.getByText('Filled in with what you said of the version before.').waitFor();
  assert.equal(await review.getByRole('textbox', { name: 'Title' }).inputValue(), 'A gardener');
  assert.equal(await review.getByRole('textbox', { name: 'Tags' }).inputValue(), 'plants, calm');
  assert.notEqual(await review.getByRole('textbox', { name: 'Version', exact: true }).inputValue(), list[0].version);
  assert.equal(await review.getByRole('treeitem', { name: /^Environment/ }).getAttribute('aria-checked'), 'false', 'what was left out is left out');
  await shot(page, 'draft-before');
});

test('a template that is written on the page is kept until it is submitted, and for its member alone', async () => {
  const page = await stage.as('ada', '/member?view=upload');
  await page.getByRole('button', { name: 'Write it here' }).click();
  await page.getByRole('textbox', { name: 'Template identifier' }).fill('ada/harbour');
  await page.getByRole('textbox', { name: 'Title' }).fill('Harbour');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('You write of the harbour.');
  await page.getByText('Draft saved.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Write it here' }).click();
  await page.getByText('This is what you wrote last time and did not submit.').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Prompt' }).inputValue(), 'You write of the harbour.');
  await axe(page, 'found again');
  await shot(page, 'template-found');

  // Somebody else at the same browser sees nothing of it, and nothing is left.
  await page.request.post('/api/logout', { data: {} });
  await page.request.post('/api/login', { data: { user_id: 'bob', password: stage.server.made.bob } });
  await page.reload();
  await page.getByRole('button', { name: 'Write it here' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Prompt' }).inputValue(), '');
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...localStorage })), /harbour/);

  await page.getByRole('textbox', { name: 'Template identifier' }).fill('bob/harbour');
  await page.getByRole('textbox', { name: 'Title' }).fill('Harbour');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('You write of ships.');
  await page.getByText('Draft saved.').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: bob/harbour').waitFor();
  assert.deepEqual((await (await page.request.get('/api/member/template-drafts')).json()).data.drafts, []);
});

test('the next version of a template begins with the one that is published, from its page or by its identifier', async () => {
  const page = await stage.as('ada', '/member');
  const id = await submitted(page, { template_id: 'ada/seasons', version: '1.2.0', title: 'Seasons', description: 'Four of them.', tags: ['calm', 'year'], prompt: 'You write of seasons.' });
  approve(id);
  // The command line decides in a process of its own, which the server sees a moment later.
  await eventually(async () => (await (await page.request.get('/api/templates/detail?template_id=ada/seasons')).json()).data?.version === '1.2.0', 'the published version');
  await page.goto(`/member?view=submissions&kind=template&submission=${id}`);
  await page.getByRole('button', { name: 'New version' }).click();
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await eventually(async () => (await prompt.inputValue()) === 'You write of seasons.', 'the prompt');
  const version = page.getByRole('textbox', { name: 'Version', exact: true });
  await eventually(async () => (await version.inputValue()) === '1.2.1', 'the next version');
  assert.equal(await page.getByRole('textbox', { name: 'Tags' }).inputValue(), 'calm, year');
  await axe(page, 'a next version');
  await prompt.fill('You write of seasons and of weather.');
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: ada/seasons').waitFor();

  await page.goto('/member?view=upload');
  await page.getByRole('button', { name: 'Write it here' }).click();
  await page.getByRole('textbox', { name: 'Template identifier' }).fill('ada/seasons');
  await page.getByText('You have published version 1.2.0 of this.').waitFor();
  await shot(page, 'template-begin');
  await page.getByRole('button', { name: 'Begin with it' }).click();
  await eventually(async () => (await prompt.inputValue()) === 'You write of seasons.', 'the published prompt');
  await eventually(async () => (await version.inputValue()) === '1.2.1', 'the version after the published one');
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Seasons');
});

test('a package that was turned down shows why, and warns when the same comes again', async () => {
  const page = await stage.as('ada', '/member?view=upload');
  const bundle = (prompt) => ({ name: 'coast.zip', mimeType: 'application/zip', buffer: zip({ 'bundle.json': JSON.stringify({ template_id: 'ada/coast', version: '1.0.0', title: 'Coast', prompt }) }) });
  await page.locator('.zone input[type=file]').setInputFiles(bundle('You write of the coast at 10.0.0.9.'));
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: ada/coast').waitFor();
  const [{ submission_id: id }] = (await (await page.request.get('/api/member/submissions?limit=5')).json()).data.submissions;
  stage.server.run('review', 'reject', id, '--note', 'Please leave out the address.', '--remove', '10.0.0.9');

  // The bell says that there is something; it leads to the submission, and there to another try.
  await page.reload();
  const bell = page.getByRole('link', { name: /unread$/ }).first();
  await bell.waitFor();
  await shot(page, 'bell');
  await bell.click();
  await page.getByRole('listitem').filter({ hasText: 'ada/coast' }).filter({ hasText: 'Please leave out the address.' }).first().getByRole('link', { name: 'ada/coast' }).click();
  await page.getByRole('button', { name: 'Fix and submit again' }).click();
  await page.getByText('Please leave out the address.').waitFor();
  await shot(page, 'package-again');
  await page.locator('.zone input[type=file]').setInputFiles(bundle('You write of the coast at 10.0.0.9.'));
  await page.getByText('A reviewer asked you to take this out.').waitFor();
  await page.getByText('Please leave out the address.').waitFor();
  await axe(page, 'a package again');
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await page.locator('.zone input[type=file]').setInputFiles(bundle('You write of the coast.'));
  await page.getByText('A reviewer asked you to take this out.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: ada/coast').waitFor();
  await page.reload();
  await page.locator('h1').first().waitFor();
  assert.equal(await page.getByRole('link', { name: /unread$/ }).count(), 0, 'what was shown is not new any more');
});
