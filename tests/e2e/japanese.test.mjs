import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite, target } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';
import { wordsOf } from './lib/words.mjs';

// The main ways again, on a phone and in Japanese, by the words that are to be there. The import of a bot is in publish.test.mjs.

const stage = suite();
const t = wordsOf('ja-JP');
const phone = { locale: 'ja-JP', width: 'narrow' };
const fits = async (page, where) => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${where} is wider than the window`);

test('a template is found, tried, installed, seen in the console, removed and taken back', async () => {
  const page = await stage.open('/market', phone);
  await page.getByRole('combobox', { name: t('search.label') }).fill(target.japanese);
  await page.keyboard.press('Enter');
  await page.locator(`.cards a[data-item="${target.id}"]`).tap();
  await page.getByRole('button', { name: t('talk.open') }).tap();
  await stage.signIn(page);
  await fits(page, 'the item');

  await page.getByRole('button', { name: t('actions.install'), exact: true }).tap();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.plan li').first().waitFor();
  await eventually(() => dialog.locator('footer .primary').isEnabled(), 'the plan');
  await dialog.locator('footer .primary').tap();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(t('actions.mine', { version: '1.0.0' })).waitFor();

  await page.goto('/member');
  const row = page.getByRole('listitem').getByText(t('installed.version', { version: '1.0.0' }));
  await row.waitFor();
  await fits(page, 'the list');
  await page.getByRole('button', { name: new RegExp(`^${t('actions.uninstall')}`) }).tap();
  await page.getByText(t('installed.emptyTitle')).waitFor();
  await page.getByRole('button', { name: t('action.undo') }).tap();
  await row.waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'ja-JP');
});

test('a submission is followed to its decision through the drawer, and the decision is told', async () => {
  const page = await stage.open('about:blank', phone);
  await signIn(page, stage.server);
  const reply = await page.request.post('/api/templates/submit', { data: { template_id: 'ada/kisetsu', title: '季節の手紙', prompt: 'あなたは季節の手紙を書きます。' } });
  const id = (await reply.json()).data.submission_id;
  await page.goto('/member');
  await settled(page);
  const through = async (view) => {
    await page.getByRole('button', { name: t('nav.openMenu') }).tap();
    await page.getByRole('dialog').getByRole('link', { name: t(`view.${view}`) }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: t(`view.${view}`) }).waitFor();
  };
  await through('submissions');
  await page.getByRole('link', { name: '季節の手紙' }).tap();
  await page.getByText(t('timeline.inReview')).waitFor();
  await fits(page, 'the submission');
  stage.server.run('review', 'approve', id);
  await page.getByText(t('timeline.approved'), { exact: true }).first().waitFor({ timeout: 20_000 });

  await through('notifications');
  const told = page.getByRole('listitem').filter({ hasText: 'ada/kisetsu' });
  await told.getByText(t('notice.submission_approved')).waitFor();
  await page.goto('/market?item=ada%2Fkisetsu');
  await page.getByRole('heading', { level: 1, name: '季節の手紙' }).waitFor();
  await fits(page, 'the published item');
});
