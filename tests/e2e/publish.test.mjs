import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { choose as pick } from './lib/choose.mjs';
import { backup, backupPath, zip } from './lib/files.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { prepare, settled, signIn } from './lib/views.mjs';

const stage = suite(prepare);
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function member(path, options) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  await page.goto(path);
  return page;
}

async function axe(page, where) {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(rules).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
}

const get = async (page, path) => (await (await page.request.get(path)).json()).data;
const packSubmissions = async (page) => (await get(page, '/api/member/profile-pack/submissions?limit=200')).submissions;
const templateSubmissions = async (page) => (await get(page, '/api/member/submissions?limit=200')).submissions;

/** Put a file into the open chooser dialog, as choosing it would. */
async function choose(page, file) {
  await page.locator('dialog .zone input[type=file]').setInputFiles(file);
}

/** Drop a file onto what the selector names, as the system would. */
async function drop(page, selector, name, bytes) {
  const transfer = await page.evaluateHandle(([name, text]) => {
    const all = new DataTransfer();
    all.items.add(new File([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))], name));
    return all;
  }, [name, bytes.toString('base64')]);
  for (const kind of ['dragenter', 'dragover']) await page.dispatchEvent(selector, kind, { dataTransfer: transfer });
  return () => page.dispatchEvent(selector, 'drop', { dataTransfer: transfer });
}

test('a backup is imported, reviewed, narrowed, submitted, followed and withdrawn', async () => {
  const page = await member('/member');
  const before = (await packSubmissions(page)).length;
  const button = page.getByRole('button', { name: 'Import local bot configuration' }).first();
  await button.click();
  await page.getByRole('dialog', { name: 'Import a bot setup' }).waitFor();
  assert.match(await page.getByRole('dialog').innerText(), /at most 20 MiB/);
  await axe(page, 'import');
  await choose(page, backupPath);

  // The review opens by itself.
  const review = page.getByRole('dialog', { name: /^Review/ });
  await review.getByRole('tree').waitFor();
  assert.match(await review.innerText(), /3 personas/);
  assert.doesNotMatch(await review.innerText(), /sk-[A-Za-z0-9]{8}/, 'no secret is shown');
  await eventually(async () => (await review.locator('[aria-busy=true]').count()) === 0, 'the report');
  await axe(page, 'review');

  // The report follows what is chosen.
  const report = review.getByRole('complementary', { name: 'What will be published' });
  await report.getByText('8 sections').waitFor();
  await review.getByRole('treeitem', { name: /^Environment/ }).locator('.box').click();
  await report.getByText('7 sections').waitFor();
  await review.getByRole('radio', { name: /^Leave model providers out/ }).check();
  await report.getByText('6 sections').waitFor();

  await review.getByRole('button', { name: /^Masked/ }).click();
  await review.getByText('Included, masked').first().waitFor();
  await review.getByRole('searchbox', { name: 'Search fields' }).fill('telegram_token');
  await eventually(async () => (await review.locator('.list .path').count()) === 1, 'the one field');

  await review.getByRole('textbox', { name: 'Title' }).fill('A gardener');
  await review.getByRole('textbox', { name: 'Pack identifier' }).fill('profile/gardener');
  await review.getByRole('textbox', { name: 'Tags' }).fill('plants, 园艺');
  await review.getByRole('button', { name: 'Submit for review' }).click();
  const done = page.getByRole('dialog', { name: 'Submitted' });
  await done.getByText('Submitted, waiting for review').waitFor();
  await axe(page, 'submitted');
  const all = await packSubmissions(page);
  assert.equal(all.length, before + 1);
  assert.equal(all[0].pack_id, 'profile/gardener');
  assert.deepEqual(all[0].tags, ['plants', '园艺']);
  assert.ok(!all[0].sections.includes('environment_manifest'));
  assert.equal(all[0].redaction_mode, 'exclude_provider');

  await done.getByRole('link', { name: 'View submission' }).click();
  await page.getByRole('heading', { name: 'A gardener' }).waitFor();
  await page.getByText('In review').waitFor();
  assert.doesNotMatch(await page.getByRole('main').innerText(), /\bsafe\b/i);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download package' }).click()]);
  assert.match(download.suggestedFilename(), /\.zip$/);

  await page.getByRole('button', { name: 'Withdraw' }).click();
  const ask = page.getByRole('dialog', { name: 'Withdraw this submission?' });
  await ask.getByText('It is taken out of review and not published.').waitFor();
  await ask.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('Withdrawn by you').waitFor();
  await page.getByRole('link', { name: 'Back to the submissions' }).click();
  await page.getByRole('listitem').filter({ hasText: 'A gardener' }).getByText('Withdrawn').waitFor();
});

test('a draft is left, found again and deleted with a way back', async () => {
  const page = await member('/member?view=upload');
  const release = await drop(page, 'main', 'cmd_config.json', Buffer.from('{"provider_settings":{"default_personality":"gardener"},"timezone":"Asia/Tokyo"}'));
  await page.locator('.veil').waitFor();
  await release();
  const review = page.getByRole('dialog', { name: /^Review “cmd_config.json”/ });
  await review.getByRole('tree').waitFor();
  await review.getByRole('button', { name: 'Keep as draft' }).click();
  await review.waitFor({ state: 'detached' });
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Review: cmd_config.json' }) });
  await row.waitFor();
  await row.getByRole('button', { name: /^Delete/ }).click();
  await row.waitFor({ state: 'detached' });
  const undo = page.getByRole('button', { name: 'Undo' });
  await eventually(() => undo.evaluate((one) => one === document.activeElement), 'the focus on the way back');
  await page.keyboard.press('Enter');
  await row.waitFor();
  await row.getByRole('button', { name: 'Review: cmd_config.json' }).click();
  await review.getByRole('tree').waitFor();
  await page.keyboard.press('Escape');
  await review.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: /^Delete/ }).click();
  // Leaving means it.
  await Promise.all([page.waitForResponse((reply) => reply.request().method() === 'DELETE'), page.getByRole('link', { name: 'Activity' }).click()]);
  await eventually(async () => !(await get(page, '/api/member/profile-pack/imports')).imports.some((one) => one.filename === 'cmd_config.json'), 'the deletion');
});

test('files that are not taken are refused in words, before and after sending', async () => {
  const page = await member('/member');
  page.expected.push('/api/member/profile-pack/imports');
  await page.getByRole('button', { name: 'Import local bot configuration' }).first().click();
  await choose(page, { name: 'song.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('x') });
  await page.getByText('“song.mp3” is not a supported type.').waitFor();
  // By its path: bytes given here would have to go through the browser's pipe.
  const big = join(stage.server.data, 'big.zip');
  writeFileSync(big, '');
  truncateSync(big, 20 * 1024 * 1024 + 1);
  await choose(page, big);
  await page.getByText(/“big.zip” is 21 MB; the limit is 20 MiB/).waitFor();
  await choose(page, { name: 'holiday.zip', mimeType: 'application/zip', buffer: Buffer.from('PKnope') });
  await page.getByRole('dialog').getByText('Failed', { exact: true }).waitFor();
  await page.getByRole('dialog').getByText(/no setup that can be imported/).waitFor();
  await page.keyboard.press('Escape');
});

test('the history of tasks says why something failed, and follows what happens elsewhere', async () => {
  for (const [locale, why, again, done] of [
    ['en-US', 'This file holds no setup that Stoa can import.', 'Choose the file again', 'Draft deleted'],
    ['ja-JP', 'インポートできる設定が含まれていません。', 'ファイルを選び直す', '下書きを削除'],
  ]) {
    const page = await member('/member?view=tasks', { locale });
    const failed = page.getByRole('listitem').filter({ hasText: why }).first();
    await failed.waitFor();
    assert.doesNotMatch(await page.getByRole('main').innerText(), /profile_pack\.|submission\.|[0-9a-f]{8}-[0-9a-f]{4}/, 'no inner names');
    // Another window deletes a draft; this one hears of it, and the row under the focus stays.
    const button = failed.getByRole('button', { name: again });
    await button.focus();
    const deleted = page.getByRole('heading', { name: done });
    const before = await deleted.count();
    const made = (await (await page.request.post('/api/member/profile-pack/imports', { data: { filename: 'cmd_config.json', content_base64: Buffer.from('{"timezone":"Asia/Tokyo"}').toString('base64') } })).json()).data;
    assert.ok((await page.request.delete(`/api/member/profile-pack/imports/${made.import_id}`)).ok());
    await eventually(async () => (await deleted.count()) > before, 'the new task', 20_000);
    assert.ok(await button.evaluate((one) => one === document.activeElement), 'the focus stays');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('.zone').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => button.evaluate((one) => one === document.activeElement), 'the focus back');
  }
});

test('what was left out and what was decided is said in the reader’s language', async () => {
  const page = await member('/member?view=upload', { locale: 'ja-JP' });
  await page.locator('#drafts').locator('xpath=../..').locator('li .button').first().click();
  await page.getByText('個人的な会話（').first().waitFor();
  assert.equal(await page.getByText('private chats with people').count(), 0);
  await page.keyboard.press('Escape');
  await page.goto('/member?view=notifications');
  await page.getByText('新しいバージョンがあります。').waitFor();
  assert.equal(await page.getByText('is out.').count(), 0);
});

test('a template package is uploaded by dropping it, and appears in both surfaces', async () => {
  const page = await member('/member?view=upload');
  const bundle = { template_id: 'ada/postcards', version: '2.1.0', title: 'Postcards', prompt: 'You write postcards.' };
  await (await drop(page, '.zone', 'postcards.zip', zip({ 'bundle.json': JSON.stringify(bundle) })))();
  await page.getByText('Identifier and version come from the package.').waitFor();
  assert.equal(await page.locator('input[name=item-id]').inputValue(), 'ada/postcards');
  assert.equal(await page.locator('input[name=version]').inputValue(), '2.1.0');
  await page.getByRole('radio', { name: /^Strict/ }).check();
  await axe(page, 'package form');
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: ada/postcards').waitFor();
  const [made] = await templateSubmissions(page);
  assert.equal(made.template_id, 'ada/postcards');
  assert.equal(made.upload_options.scan_mode, 'strict');
  await page.locator('section', { has: page.locator('#transfers') }).getByText('postcards.zip').waitFor();

  await page.goto('/market?view=submissions&only=template');
  await page.getByRole('link', { name: 'Postcards' }).click();
  await page.getByText('In review').waitFor();
  await page.getByRole('link', { name: 'Back to the submissions' }).click();
  await eventually(() => page.evaluate(() => document.activeElement?.textContent === 'Postcards'), 'the focus on the row it came from');
});

test('a submission is followed to its decision without a reload, and the decision is told', async () => {
  const page = await member('/member?view=submissions');
  const send = async (id, title) => (await (await page.request.post('/api/templates/submit', { data: { template_id: id, title, prompt: 'You write of seasons.' } })).json()).data.submission_id;
  const [taken, turned] = [await send('ada/seasons', 'Seasons'), await send('ada/weather', 'Weather')];
  const timeline = page.locator('section', { has: page.locator('#timeline') });
  for (const [id, act, word] of [[taken, ['approve', taken], 'Approved'], [turned, ['reject', turned, '--note', 'A little more, please.'], 'Rejected']]) {
    await page.goto(`/member?view=submissions&kind=template&submission=${id}`);
    await timeline.getByText('In review').waitFor();
    stage.server.run('review', ...act);
    await eventually(() => timeline.getByText(word, { exact: true }).isVisible(), word, 20_000);
    await axe(page, word);
  }
  await page.getByText('A little more, please.').first().waitFor();
  await page.getByRole('link', { name: 'Notifications' }).click();
  const told = page.getByRole('listitem').filter({ hasText: 'ada/weather' });
  await told.getByText('It was rejected.').waitFor();
  assert.equal(await told.locator('blockquote').innerText(), 'A little more, please.');
  await page.goto('/market?item=ada%2Fseasons');
  await page.getByRole('heading', { level: 1, name: 'Seasons' }).waitFor();
});

test('what was turned down is answered, put right and submitted again, and warned of when it comes back', async () => {
  const page = await member('/member?view=submissions');
  const answer = await page.request.post('/api/templates/submit', { data: { template_id: 'ada/harbour', title: 'Harbour', description: 'Ships.', version: '1.0.0', prompt: 'You write of the harbour at 10.0.0.2.' } });
  const { submission_id: id } = (await answer.json()).data;
  stage.server.run('review', 'answer', id, 'Whose address is that?');
  stage.server.run('review', 'reject', id, '--note', 'Please leave out the address.', '--remove', '10.0.0.2');
  // The notification leads to the submission itself.
  await page.goto('/member?view=notifications');
  const told = page.getByRole('listitem').filter({ hasText: 'Message from a reviewer' }).filter({ hasText: 'ada/harbour' });
  await told.getByText('Whose address is that?').waitFor();
  await told.getByRole('link', { name: 'ada/harbour' }).click();
  const thread = page.locator('section', { has: page.getByRole('heading', { name: 'Messages with the reviewers' }) });
  await thread.getByText('Whose address is that?').waitFor();
  await thread.getByText('10.0.0.2').waitFor();
  await thread.getByRole('textbox', { name: 'Message' }).fill('My own; it was a mistake.');
  await thread.getByRole('button', { name: 'Send' }).click();
  await thread.getByRole('listitem').filter({ hasText: 'My own; it was a mistake.' }).waitFor();
  await axe(page, 'thread');
  await page.getByRole('button', { name: 'Fix and submit again' }).click();
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await eventually(async () => /10\.0\.0\.2/.test(await prompt.inputValue()), 'the prompt that was submitted');
  await page.getByText('Please leave out the address.').waitFor();
  await page.getByText('A reviewer asked you to take this out.').waitFor();
  await axe(page, 'again');
  await prompt.fill('You write of the harbour.');
  await page.getByText('A reviewer asked you to take this out.').waitFor({ state: 'hidden' });
  // Typed wrongly, it is said at once and not sent.
  const version = page.getByRole('textbox', { name: 'Version', exact: true });
  await version.fill('one');
  await page.getByText('Use three numbers, such as 1.2.0').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  assert.equal(await version.evaluate((field) => document.activeElement === field), true);
  await version.fill('1.0.1');
  await page.getByText('Use three numbers, such as 1.2.0').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: ada/harbour').waitFor();
});

test('a template of texts with a secret names the place; without it, it is taken', async () => {
  const page = await member('/market?view=upload');
  page.expected.push('/api/templates/submit');
  await page.getByRole('button', { name: 'Write it here' }).click();
  await page.getByRole('textbox', { name: 'Template identifier' }).fill('ada/keys');
  await page.getByRole('textbox', { name: 'Title' }).fill('Keys');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('Use ghp_0123456789abcdefghijABCDEFGHIJ456789 for everything.');
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText(/^It contains what looks like a secret/).waitFor();
  assert.match(await page.locator('.note.bad li').first().innerText(), /prompt:1:5/);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('Use ${GITHUB_TOKEN} for everything.');
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: ada/keys').waitFor();
});

test('the network is lost in mid-upload and comes back: one submission', async () => {
  const page = await member('/member?view=upload');
  page.expected.push('/api/templates/submit');
  const keys = [];
  page.on('request', (request) => request.url().endsWith('/api/templates/submit') && keys.push(request.headers()['idempotency-key']));
  let cut = 0;
  // First the connection breaks on the way; then the answer gets lost after the server has taken it.
  await page.route('**/api/templates/submit', async (route) => {
    cut++;
    if (cut === 1) return route.abort('connectionreset');
    if (cut === 2) {
      await route.fetch();
      return route.abort('connectionreset');
    }
    return route.continue();
  });
  const bundle = { template_id: 'ada/storm', version: '1.0.0', title: 'Storm', prompt: 'You write of storms.' };
  await page.locator('.zone input[type=file]').setInputFiles({ name: 'storm.zip', mimeType: 'application/zip', buffer: zip({ 'bundle.json': JSON.stringify(bundle) }) });
  await page.getByText('Identifier and version come from the package.').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Paused: the connection was lost').waitFor();
  await axe(page, 'paused');
  await page.getByRole('button', { name: 'Try again' }).click();
  await eventually(() => cut === 2, 'the second try');
  await page.getByText('Paused: the connection was lost').waitFor();
  // Now the browser notices that it is online again.
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.getByText('Submitted for review: ada/storm').waitFor();
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.equal((await templateSubmissions(page)).filter((one) => one.template_id === 'ada/storm').length, 1);
});

test('an upload can be cancelled and sent again', async () => {
  const page = await member('/member');
  page.expected.push('/api/member/profile-pack/imports');
  let hold;
  const held = new Promise((done) => (hold = done));
  await page.route('**/api/member/profile-pack/imports', async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.continue().catch(() => {});
  });
  await page.getByRole('button', { name: 'Import local bot configuration' }).first().click();
  await choose(page, { name: 'later.zip', mimeType: 'application/zip', buffer: backup() });
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').locator('.zone').waitFor();
  hold();
  await page.unroute('**/api/member/profile-pack/imports');
  await choose(page, { name: 'later.zip', mimeType: 'application/zip', buffer: backup() });
  await page.getByRole('dialog', { name: /^Review “later.zip”/ }).getByRole('tree').waitFor();
});

test('the tree is worked by keys alone, and closing gives the focus back', async () => {
  const page = await member('/member');
  const button = page.getByRole('button', { name: 'Import local bot configuration' }).first();
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Import a bot setup' }).waitFor();
  await choose(page, backupPath);
  const tree = page.getByRole('tree');
  await tree.waitFor();
  await tree.getByRole('treeitem').first().focus();
  const at = () => page.evaluate(() => [document.activeElement.textContent.trim(), document.activeElement.getAttribute('aria-checked'), document.activeElement.getAttribute('aria-level')].join('|'));
  assert.match(await at(), /^Bot core settings.*\|true\|1$/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await eventually(async () => /\|true\|2$/.test(await at()), 'the first child');
  await page.keyboard.press('Space');
  await eventually(async () => /\|false\|2$/.test(await at()), 'the child left out');
  await page.keyboard.press('ArrowLeft');
  await eventually(async () => /^Bot core settings.*\|mixed\|1$/.test(await at()), 'the parent half chosen');
  await page.keyboard.press('End');
  await eventually(async () => /^About this pack/.test(await at()), 'the end');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(() => button.evaluate((one) => one === document.activeElement), 'the focus back on the button');
});

test('a press that comes before the server has said who is here is kept', async () => {
  for (const offered of [true, false]) {
    const page = await stage.open('about:blank');
    await signIn(page, stage.server);
    let answer;
    const held = new Promise((done) => (answer = done));
    await page.route('**/api/ui/capabilities?*', async (route) => {
      await held;
      const reply = await route.fetch();
      const body = await reply.json();
      if (!offered) body.data.operations = body.data.operations.filter((name) => !name.includes('imports.write'));
      await route.fulfill({ response: reply, json: body });
    });
    await page.goto('/member');
    const button = page.getByRole('button', { name: 'Import local bot configuration' });
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.getByText('Importing is turned off on this server.').count(), 0, 'nothing is refused before it is known');
    answer();
    if (offered) await page.getByRole('dialog', { name: 'Import a bot setup' }).waitFor();
    else await page.getByText('Importing is turned off on this server.').waitFor();
    assert.ok(offered || (await button.evaluate((one) => one === document.activeElement)));
  }
});

test('two versions are compared, swapped and shared by address; one alone says so', async () => {
  const page = await stage.open('/market?pack=profile%2Fofficial-starter');
  await page.getByRole('tab', { name: 'Compare' }).click();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('1 changed', { exact: true }).waitFor();
  await panel.getByRole('heading', { name: 'Bot core settings' }).waitFor();
  assert.match(await panel.innerText(), /1 added/);
  assert.ok((await panel.locator('td.ins').count()) > 0 && (await panel.locator('td.del').count()) > 0);
  await axe(page, 'compare');
  await panel.getByRole('button', { name: 'Inline' }).click();
  await panel.getByRole('button', { name: 'Swap the sides' }).click();
  await panel.getByText('1 removed', { exact: true }).waitFor();
  const address = new URL(page.url());
  assert.equal(address.searchParams.get('base'), '1.1.0');
  assert.equal(address.searchParams.get('to'), '1.0.1');
  await page.reload();
  await panel.getByText('1 removed', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Compare' }).press('ArrowLeft');
  await page.getByRole('heading', { name: 'Contents' }).waitFor();

  const narrow = await stage.open('/market?pack=profile%2Fofficial-starter&tab=compare', { width: 'narrow' });
  await narrow.locator('table.inline').first().waitFor();

  await page.goto('/market?pack=profile%2Fsolo&tab=compare');
  await page.getByText('There is only one version').waitFor();
});

test('a published pack is compared with a draft of one’s own, and downloaded', async () => {
  const page = await member('/market?pack=profile%2Fsolo&tab=compare');
  await page.getByText('You can compare it with one of your drafts').waitFor();
  await pick(page.getByRole('combobox', { name: 'Before' }), /^astrbot_backup_20260821\.zip · /);
  const panel = page.getByRole('tabpanel');
  await panel.getByText(/removed/).first().waitFor();
  assert.doesNotMatch(await panel.innerText(), /sk-[A-Za-z0-9]{8}/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download package' }).click()]);
  assert.match(download.suggestedFilename(), /\.zip$/);
});

test('an installed pack that is behind is compared with the newest, and updated from there', async () => {
  const page = await member('/member');
  const row = page.getByRole('listitem').filter({ hasText: 'Update 1.0.1 → 1.1.0' });
  await row.getByRole('link', { name: /^Compare/ }).click();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('1 changed', { exact: true }).waitFor();
  assert.equal(await panel.getByRole('combobox', { name: 'Before' }).getAttribute('data-value'), '1.0.1');
  assert.equal(await panel.getByRole('combobox', { name: 'After' }).getAttribute('data-value'), '1.1.0');

  await page.getByText('You have version 1.0.1; 1.1.0 is available.').waitFor();
  await page.getByRole('button', { name: 'Update' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.plan li').first().waitFor();
  await dialog.locator('footer .primary').click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('You have version 1.1.0 installed.').waitFor();
  assert.ok(await panel.isVisible(), 'the comparison is still there');
  await page.goto('/member');
  await page.getByText('Version 1.1.0').waitFor();
  assert.equal(await row.count(), 0);
});

test('a visitor is asked to sign in, and the import goes on from there', async () => {
  const page = await stage.open('/member');
  await page.getByRole('button', { name: 'Import local bot configuration' }).click();
  await stage.signIn(page);
  await page.getByRole('dialog', { name: 'Import a bot setup' }).waitFor();
});

for (const [locale, action, submit, waiting] of [
  ['ja-JP', 'ボット', '審査に提出', '提出しました。審査待ちです'],
  ['zh-CN', '机器人', '提交审核', '已提交，等待审核'],
]) {
  test(`the same at 390 px in ${locale}`, async () => {
    const page = await member('/member', { locale, width: 'narrow' });
    await settled(page);
    await page.locator('.migration .button').click();
    await page.getByRole('dialog').getByText(action).first().waitFor();
    await choose(page, backupPath);
    await page.getByRole('tree').waitFor();
    await axe(page, `review ${locale}`);
    const overflow = await page.locator('dialog .content').evaluate((box) => box.scrollWidth - box.clientWidth);
    assert.ok(overflow <= 0, `${overflow} px too wide`);
    await page.locator('dialog [name=title]').fill('Garden');
    await page.getByRole('button', { name: submit }).click();
    await page.getByText(waiting).first().waitFor();
    const text = await page.locator('body').innerText();
    assert.doesNotMatch(text, /\b(review|import|leave|submissions|upload|issue|fields)\.[a-zA-Z_.]+\b(?!json)/, 'no raw key');
  });
}
