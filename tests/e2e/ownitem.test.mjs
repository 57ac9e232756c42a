import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { open } from './lib/browser.mjs';
import { png, zip } from './lib/files.mjs';
import { eventually, suite } from './lib/suite.mjs';

// An author's own items: pictures that come with them, taking them out of the catalog and putting them back, and what whoever
// has them is told.

const stage = suite(async (_, server) => {
  server.made = Object.fromEntries(['ada', 'bob', 'rita'].map((user) => [user, JSON.parse(server.run('member', 'add', user, '--json')).password]));
  server.run('member', 'grant', 'rita', 'reviewer');
}, { small: true });

async function shot(page, name) {
  if (!process.env.SHOTS) return;
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction(() => !document.getAnimations().some((one) => one.playState === 'running'));
    await page.screenshot({ path: join(process.env.SHOTS, `${name}-${theme}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

const post = async (page, path, data) => {
  const reply = await page.request.post(path, { data });
  assert.ok(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`);
  return (await reply.json()).data;
};

function approve(id) {
  stage.server.run('review', 'show', id, '--all');
  stage.server.run('review', 'approve', id);
}

/** A template of ada's that is published and that bob has. */
async function installed(id, title) {
  const ada = await stage.as('ada', '/member');
  const { submission_id } = await post(ada, '/api/templates/submit', { template_id: id, version: '1.0.0', title, description: 'For a test.', prompt: 'You write letters.' });
  approve(submission_id);
  const bob = await stage.as('bob', '/member');
  await eventually(async () => (await bob.request.get(`/api/templates/detail?template_id=${id}`)).ok(), 'the item');
  await post(bob, '/api/templates/install', { template_id: id });
  return { ada, bob, submission: submission_id };
}

const said = {
  take: 'Take out of the catalog', reason: 'Reason, for everybody who has it installed', out: 'It is no longer in the catalog.', back: 'Put back in the catalog',
  gone: 'No longer published', told: 'It was withdrawn from the catalog; what you have stays yours.',
};

test('an author takes an item out with a reason and puts it back; whoever has it is told', async () => {
  const { ada, bob, submission } = await installed('ada/letters', 'Letters');
  await ada.goto(`/member?view=submissions&kind=template&submission=${submission}`);
  const take = ada.getByRole('button', { name: said.take });
  await take.click();
  const dialog = ada.getByRole('dialog', { name: 'Take this item out of the catalog?' });
  const confirm = dialog.getByRole('button', { name: said.take });
  assert.equal(await confirm.isDisabled(), true, 'without a reason nobody would know why');
  await axe(ada, 'the question');
  // Whoever changes their mind is where they were.
  await ada.keyboard.press('Escape');
  // Chromium says that a dialog closed a moment after it is hidden; a key in between would open nothing.
  await ada.locator('dialog').waitFor({ state: 'detached' });
  await eventually(() => take.evaluate((one) => one === document.activeElement), 'the focus back');
  await ada.keyboard.press('Enter');
  await dialog.getByLabel(said.reason).fill('The prompt was wrong.');
  await confirm.click();
  await ada.getByText(said.out).waitFor();
  await axe(ada, 'out of the catalog');
  bob.expected.push('/api/templates/detail', '/api/market/');
  assert.equal((await bob.request.get('/api/templates/detail?template_id=ada/letters')).status(), 404);

  await bob.reload();
  const row = bob.getByRole('listitem').filter({ has: bob.getByRole('heading', { name: 'Letters' }) });
  await row.getByText(said.gone).waitFor();
  await row.getByText(said.told).waitFor();
  await row.getByText('The prompt was wrong.').waitFor();
  await axe(bob, 'what bob has');
  await bob.getByRole('link', { name: /^Notifications/ }).first().click();
  await bob.getByRole('listitem').filter({ hasText: 'ada/letters' }).getByText('The prompt was wrong.').waitFor();

  await ada.getByRole('button', { name: said.back }).click();
  await ada.getByText('It is in the catalog again.').waitFor();
  await take.waitFor();
  await eventually(async () => (await bob.request.get('/api/templates/detail?template_id=ada/letters')).ok(), 'the item again');
  await bob.goto('/member');
  await bob.getByRole('link', { name: 'Letters' }).waitFor();
  assert.equal(await bob.getByText(said.told).count(), 0);
});

for (const [locale, width] of [['en-US', 'wide'], ['zh-CN', 'narrow'], ['ja-JP', 'narrow']]) {
  test(`an author takes one version out and puts it back: ${locale}, ${width}`, async () => {
    const id = `ada/stamps-${locale.toLowerCase()}`;
    await installed(id, 'Stamps');
    const first = await stage.as('ada', '/member');
    const { submission_id } = await post(first, '/api/templates/submit', { template_id: id, version: '1.1.0', title: 'Stamps', description: 'For a test.', prompt: 'You collect stamps.' });
    approve(submission_id);
    const bob = await stage.as('bob', '/member', { locale, width });
    await eventually(async () => (await (await bob.request.get(`/api/templates/detail?template_id=${id}`)).json()).data.version === '1.1.0', 'the second version');
    await post(bob, '/api/templates/install', { template_id: id, install_options: { force_reinstall: true } });
    const ada = await stage.as('ada', `/member?view=submissions&kind=template&submission=${submission_id}`, { locale, width });
    await ada.locator('aside .acts button').last().click();
    await ada.locator('dialog [role=combobox], dialog button[aria-haspopup]').first().click();
    await ada.getByRole('option').filter({ hasText: '1.1.0' }).click();
    await ada.locator('dialog textarea').fill('It forgets the stamp.');
    await axe(ada, 'which version');
    await shot(ada, `version-ask-${locale}-${width}`);
    await ada.locator('dialog footer .primary').click();
    await ada.locator('aside .acts .note').filter({ hasText: '1.1.0' }).waitFor();
    await axe(ada, 'a version is out');
    await shot(ada, `version-out-${locale}-${width}`);
    assert.equal((await (await bob.request.get(`/api/templates/detail?template_id=${id}`)).json()).data.version, '1.0.0');

    // Whoever has it is told on both pages, and that another version stands.
    await bob.goto('/member');
    const row = bob.getByRole('listitem').filter({ has: bob.getByRole('link', { name: 'Stamps' }) }).filter({ hasText: 'It forgets the stamp.' });
    await row.first().waitFor();
    assert.match(await row.first().innerText(), /1\.0\.0/);
    await axe(bob, 'what bob has');
    await shot(bob, `version-notice-${locale}-${width}`);
    await bob.goto('/member?view=notifications');
    const told = bob.getByRole('listitem').filter({ hasText: id }).filter({ hasText: 'It forgets the stamp.' });
    await told.waitFor();
    assert.match(await told.innerText(), /1\.1\.0[^]*1\.0\.0/);
    await bob.goto(`/market?item=${encodeURIComponent(id)}`);
    await bob.locator('[aria-labelledby=versions] s').filter({ hasText: '1.1.0' }).waitFor();
    await axe(bob, 'the list of versions');

    await ada.locator('aside .acts button').last().click();
    await ada.locator('aside .acts .note').waitFor({ state: 'detached' });
    await eventually(async () => (await (await bob.request.get(`/api/templates/detail?template_id=${id}`)).json()).data.version === '1.1.0', 'the version again');
    for (const page of [ada, bob]) assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0, 'too wide');
  });
}

test('what the server refuses is said in the dialog of the author', async () => {
  const { ada, submission } = await installed('ada/poems', 'Poems');
  ada.expected.push('/api/member/items/withdraw');
  await ada.goto(`/member?view=submissions&kind=template&submission=${submission}`);
  await ada.route('**/api/member/items/withdraw', (route) => route.fulfill({ status: 503, json: { ok: false, message: '', data: {}, error: { code: 'unavailable', message: 'Not now.' } } }));
  await ada.getByRole('button', { name: 'Take out of the catalog' }).click();
  await ada.getByRole('dialog').getByRole('textbox').fill('For a reason that took a while to write.');
  await ada.getByRole('dialog').getByRole('button', { name: 'Take out of the catalog' }).click();
  await ada.getByRole('alert').first().waitFor();
  await axe(ada, 'refused');
  await ada.unroute('**/api/member/items/withdraw');
  await shot(ada, 'own-refused');
  // What was written is still there.
  if (!(await ada.getByRole('dialog').isVisible())) await ada.getByRole('button', { name: 'Take out of the catalog' }).click();
  assert.equal(await ada.getByRole('dialog').getByRole('textbox').inputValue(), 'For a reason that took a while to write.');
});

for (const locale of ['en-US', 'zh-CN', 'ja-JP']) {
  for (const width of ['wide', 'narrow']) {
    test(`the panels of an author and of whoever has their item: ${locale}, ${width}`, async () => {
      const id = `ada/panels-${locale.toLowerCase()}-${width}`;
      const { submission } = await installed(id, 'Panels');
      const ada = await stage.as('ada', `/member?view=submissions&kind=template&submission=${submission}`, { locale, width });
      const take = ada.locator('aside .acts button').last();
      await take.waitFor();
      await axe(ada, 'an own item');
      await shot(ada, `own-in-${locale}-${width}`);
      await take.click();
      await ada.locator('dialog textarea').fill('It answers in the wrong language, and I have no time to put that right.');
      await axe(ada, 'the question');
      await shot(ada, `own-ask-${locale}-${width}`);
      await ada.locator('dialog footer .primary').click();
      await ada.locator('aside .acts .note').waitFor();
      await axe(ada, 'out of the catalog');
      await shot(ada, `own-out-${locale}-${width}`);
      const bob = await stage.as('bob', '/member', { locale, width });
      await bob.getByText('It answers in the wrong language').first().waitFor();
      await axe(bob, 'a notice of a withdrawal');
      await shot(bob, `notice-${locale}-${width}`);
      // The same list, as if the scanner had judged the item again.
      await bob.route('**/api/member/installations?*', async (route) => {
        const reply = await route.fetch();
        const body = await reply.json();
        for (const one of body.data.installations) Object.assign(one, { published: true, notice: 'judged_again', notice_at: '2026-11-20T08:00:00.000Z', notice_reason: 'ignore_previous_instructions', risk_before: 'low', risk_level: 'high' });
        await route.fulfill({ response: reply, json: body });
      });
      await bob.reload();
      await bob.locator('main article .note.warn').first().waitFor();
      await axe(bob, 'a notice of a new verdict');
      await shot(bob, `judged-${locale}-${width}`);
      for (const page of [ada, bob]) {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
      }
      assert.doesNotMatch(await bob.locator('main').innerText(), /\b(installed|ownItem|warning_flag)\.[a-zA-Z.]+\b/, 'no raw key');
    });
  }
}

const sections = { personas: { entries: { ann: { system_prompt: 'You are Ann, a gardener.' } } } };
/** A profile pack with a picture, as `stoa pack` writes it. */
function packWithPicture() {
  const text = JSON.stringify(sections.personas);
  const manifest = {
    pack_type: 'bot_profile_pack', pack_id: 'ada/beds', version: '1.0.0', created_at: '2026-11-01T00:00:00.000Z', astrbot_version: 'any', plugin_compat: '*', sections: ['personas'], capabilities: [],
    redaction_policy: { mode: 'exclude_secrets', include_sections: ['personas'], mask_paths: [], drop_paths: [] },
    hashes: { 'sections/personas.json': createHash('sha256').update(text).digest('hex') },
  };
  return zip({ 'manifest.json': JSON.stringify(manifest), 'sections/personas.json': text, 'screenshots/beds.png': png(900, 500, [40, 120, 60]) });
}

test('pictures of a template and of a pack go through the page and the reviewer to the catalog', async () => {
  const ada = await stage.as('ada', '/member?view=upload');
  const bundle = { template_id: 'ada/paint', version: '1.0.0', title: 'Paint', prompt: 'You paint.' };
  const shots = { 'screenshots/a.png': png(640, 400), 'screenshots/b.png': png(320, 640, [160, 60, 40]) };
  await ada.locator('.zone input[type=file]').setInputFiles({ name: 'paint.zip', mimeType: 'application/zip', buffer: zip({ 'bundle.json': JSON.stringify(bundle), ...shots }) });
  await ada.getByRole('button', { name: 'Submit for review' }).click();
  await ada.getByText('Submitted for review: ada/paint').waitFor();
  await ada.getByRole('button', { name: /^Import/ }).first().click();
  await ada.locator('dialog .zone input[type=file]').setInputFiles({ name: 'beds.zip', mimeType: 'application/zip', buffer: packWithPicture() });
  const review = ada.getByRole('dialog', { name: /^Review/ });
  await review.getByRole('tree').waitFor();
  await review.getByText('screenshots/beds.png').first().waitFor({ state: 'attached' }); // the report of what leaves has it
  await review.getByRole('textbox', { name: 'Title' }).fill('Beds');
  await review.getByRole('button', { name: 'Submit for review' }).click();
  await ada.getByText('Submitted, waiting for review').first().waitFor();

  // The reviewer has to look at each.
  for (const [width, theme] of [['wide', 'light'], ['narrow', 'dark']]) {
    const rita = await open(stage.browser, stage.server.console, { width, theme });
    await rita.request.post('/console/api/login', { data: { user_id: 'rita', password: stage.server.made.rita } });
    await rita.goto('/console?view=reviews');
    await rita.getByRole('link', { name: /ada\/paint|Paint/ }).or(rita.getByRole('button', { name: /ada\/paint|Paint/ })).first().click();
    const picture = rita.getByRole('img', { name: 'screenshots/a.png' });
    await picture.waitFor();
    assert.deepEqual(await picture.evaluate((image) => [image.naturalWidth, image.naturalHeight]), [640, 400]);
    await axe(rita, 'pictures at the console');
    const wide = await rita.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
    if (process.env.SHOTS) await rita.screenshot({ path: join(process.env.SHOTS, `console-picture-${width}-${theme}.png`), fullPage: true });
    assert.deepEqual(rita.problems, []);
    await rita.context().close();
  }
  for (const kind of ['submissions', 'profile-pack/submissions']) {
    const { submissions } = (await (await ada.request.get(`/api/member/${kind}?limit=50`)).json()).data;
    for (const one of submissions.filter(({ status }) => status === 'pending')) approve(one.submission_id);
  }
  for (const [query, count] of [['item=ada%2Fpaint', 2], ['pack=ada%2Fbeds', 1]]) {
    for (const [locale, width] of [['en-US', 'wide'], ['zh-CN', 'narrow'], ['ja-JP', 'wide'], ['ja-JP', 'narrow']]) {
      const page = await stage.open('about:blank', { locale, width });
      await eventually(async () => {
        await page.goto(`/market?${query}`);
        await page.locator('[aria-labelledby=pictures] img').first().waitFor({ timeout: 1500 });
        return true;
      }, 'the pictures');
      const images = page.locator('[aria-labelledby=pictures] img');
      assert.equal(await images.count(), count);
      for (let n = 0; n < count; n++) {
        await images.nth(n).scrollIntoViewIfNeeded();
        await eventually(() => images.nth(n).evaluate((image) => image.complete && image.naturalWidth > 0), 'the picture is drawn');
        assert.ok((await images.nth(n).getAttribute('alt')).length > 3);
      }
      await axe(page, 'pictures of an item');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      await shot(page, `pictures-${query.slice(0, 4)}-${locale}-${width}`);
    }
  }
});

test('pictures are added to a pack on the page, shown and taken away; what is none is refused', async () => {
  const ada = await stage.as('ada', '/member?view=upload');
  await ada.getByRole('button', { name: /^Import/ }).first().click();
  await ada.locator('dialog .zone input[type=file]').setInputFiles({ name: 'cmd_config.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ config_version: 2, persona: [{ name: 'ann', prompt: 'You are Ann, a gardener.' }], provider_settings: { default_personality: 'ann' } })) });
  const review = ada.getByRole('dialog', { name: /^Review/ });
  await review.getByRole('tree').waitFor();
  const webp = Buffer.from(await ada.evaluate(() => Object.assign(document.createElement('canvas'), { width: 320, height: 200 }).toDataURL('image/webp').split(',')[1]), 'base64');
  await review.locator('input[name=pictures]').setInputFiles([
    { name: 'large.png', mimeType: 'image/png', buffer: png(3000, 1500, [40, 120, 60]) }, { name: 'shot.webp', mimeType: 'image/webp', buffer: webp },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') }, { name: 'torn.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    { name: 'other.png', mimeType: 'image/png', buffer: png(64, 64) },
  ]);
  await review.getByText('notes.txt is no PNG, JPEG or WebP.').waitFor();
  await review.getByText('torn.png cannot be read as a picture.').waitFor();
  const shown = review.locator('[aria-labelledby=review-pictures] img');
  await eventually(async () => (await shown.count()) === 3, 'three pictures');
  await axe(ada, 'pictures of a draft');
  await review.getByRole('button', { name: /^Remove.*3/ }).click();
  await eventually(async () => (await shown.count()) === 2, 'two pictures');
  await review.getByRole('textbox', { name: 'Title' }).fill('Ann');
  const id = 'ada/drawn';
  await review.locator('input[name=item-id]').fill(id);
  await review.locator('[aria-labelledby=review-pictures]').scrollIntoViewIfNeeded();
  await shot(ada, 'draft-pictures');
  await review.getByRole('button', { name: 'Submit for review' }).click();
  await ada.getByText('Submitted, waiting for review').first().waitFor();
  const { submissions } = (await (await ada.request.get('/api/member/profile-pack/submissions?limit=50')).json()).data;
  approve(submissions.find(({ pack_id }) => pack_id === id).submission_id);
  await eventually(async () => (await ada.request.get(`/api/market/item?item_id=${id}`)).ok(), 'the pack');
  const { pictures } = (await (await ada.request.get(`/api/market/item?item_id=${id}`)).json()).data;
  assert.deepEqual(pictures.map(({ name, width, height }) => [name, width, height]), [['screenshots/1.png', 2048, 1024], ['screenshots/2.jpg', 320, 200]]);
});
