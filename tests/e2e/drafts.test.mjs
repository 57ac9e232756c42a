import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { eventually, suite } from './lib/suite.mjs';

// A template that is written on one machine is there on the next, and neither writes over what the other has saved. Each context
// of the browser is a machine of its own.

const members = ['ada', 'bob', 'cyn', 'dan', 'eve'];
const stage = suite(async (_, server) => {
  server.made = Object.fromEntries(members.map((user) => [user, JSON.parse(server.run('member', 'add', user, '--json')).password]));
}, { small: true });

const shot = async (page, name) => process.env.SHOTS && (await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true }));
const drafts = async (page) => (await (await page.request.get('/api/member/template-drafts')).json()).data.drafts;
const kept = (page) => page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('stoa.template.')));
const saves = (page) => page.waitForResponse((answer) => answer.url().endsWith('/api/member/template-drafts') && answer.request().method() === 'POST');

const words = {
  'en-US': { write: 'Write it here', prompt: 'Prompt', title: 'Title', saved: 'Draft saved. It is there on your other devices too.', found: 'This is what you wrote last time and did not submit.', other: 'This draft was saved from elsewhere in the meantime.', both: 'Keep mine as a draft of its own', list: 'Templates you are writing' },
  'zh-CN': { write: '在此填写', prompt: '提示词', title: '标题', saved: '草稿已保存，在其他设备上也能看到。', found: '这是你上次写好但尚未提交的内容。', other: '这份草稿期间在别处被保存过', both: '把我写的另存为一份草稿', list: '正在写的模板' },
  'ja-JP': { write: 'ここに書く', prompt: 'プロンプト', title: 'タイトル', saved: '下書きを保存しました。', found: '前回書いて、まだ提出していない内容です。', other: 'この下書きは、その間にほかの場所で保存されました。', both: '自分の分を別の下書きにする', list: '書きかけのテンプレート' },
};

for (const [index, [locale, said]] of Object.entries(words).entries()) {
  test(`what one machine and another write of the same draft is kept, both: ${locale}`, async () => {
    const user = members[index];
    const at = '/member?view=upload';
    const desk = await stage.as(user, at, { locale });
    const field = (page, name) => page.getByRole('textbox', { name: said[name], exact: true });
    await desk.getByRole('button', { name: said.write }).click();
    await field(desk, 'title').fill('Harbour');
    await field(desk, 'prompt').fill('Written at the desk.');
    await desk.getByText(said.saved).waitFor();
    assert.deepEqual(await kept(desk), [], 'what the server has is not left in the browser');
    await shot(desk, `draft-saved-${locale}`);

    const train = await stage.as(user, at, { locale });
    await train.getByRole('button', { name: said.write }).click();
    await train.getByText(said.found).waitFor();
    assert.equal(await field(train, 'prompt').inputValue(), 'Written at the desk.');
    await field(train, 'prompt').fill('Written on the train.');
    await train.getByText(said.saved).waitFor();

    desk.expected.push('/api/member/template-drafts');
    await field(desk, 'prompt').fill('Written at the desk again.');
    const told = desk.getByRole('alert').filter({ hasText: said.other });
    await told.waitFor();
    await axe(desk, `a draft of two machines, ${locale}`);
    await shot(desk, `draft-elsewhere-${locale}`);
    assert.equal(await field(desk, 'prompt').inputValue(), 'Written at the desk again.');
    await told.getByRole('button', { name: said.both }).click();
    await told.waitFor({ state: 'detached' });
    await desk.getByRole('heading', { name: said.list }).waitFor();
    const prompts = await Promise.all((await drafts(desk)).map(async ({ draft_id }) => (await (await desk.request.get(`/api/member/template-drafts/${draft_id}`)).json()).data.prompt));
    assert.deepEqual(prompts.sort(), ['Written at the desk again.', 'Written on the train.']);
    await axe(desk, `a list of drafts, ${locale}`);
    await shot(desk, `draft-both-${locale}`);
  });
}

test('without the server, and after the session has ended, what is typed stays in the browser and is sent later', async () => {
  const page = await stage.as('dan', '/member?view=upload');
  page.expected.push('/api/member/template-drafts');
  await page.getByRole('button', { name: 'Write it here' }).click();
  await page.route('**/api/member/template-drafts', (route) => route.abort());
  await page.getByRole('textbox', { name: 'Title' }).fill('Storm');
  await page.getByText('Saved in this browser only.').waitFor();
  await shot(page, 'draft-away');
  assert.equal((await kept(page)).length, 1);
  await page.unroute('**/api/member/template-drafts');
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.getByText('Draft saved.').waitFor();
  assert.deepEqual([(await drafts(page)).map(({ title }) => title), await kept(page)], [['Storm'], []]);

  // The session ends while more is typed; after signing in again on this machine it is there, and on the server.
  await page.request.post('/api/logout', { data: {} });
  await page.getByRole('textbox', { name: 'Title' }).fill('Storm at sea');
  await eventually(async () => (await kept(page)).length === 1, 'the copy in the browser');
  await page.request.post('/api/login', { data: { user_id: 'dan', password: stage.server.made.dan } });
  await page.reload();
  await page.getByText('This is what you wrote last time and did not submit.').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Storm at sea');
  await eventually(async () => (await drafts(page))[0].title === 'Storm at sea' && (await kept(page)).length === 0, 'the draft on the server');
  assert.equal((await drafts(page)).length, 1);
});

test('drafts are listed, continued, deleted and brought back; a submission ends its draft on every machine', async () => {
  const page = await stage.as('eve', '/member?view=upload');
  const title = page.getByRole('textbox', { name: 'Title' });
  await page.getByRole('button', { name: 'Write it here' }).click();
  for (const name of ['One', 'Two', 'Three']) {
    await title.fill(name);
    await page.getByText('Draft saved.').waitFor();
    await page.getByRole('button', { name: 'Begin another' }).click();
    await eventually(async () => (await title.inputValue()) === '', 'an empty form');
  }
  const list = page.getByRole('region', { name: 'Templates you are writing' });
  await eventually(async () => (await list.getByRole('listitem').count()) === 3, 'three drafts');
  await list.getByRole('button', { name: 'Delete the draft “Two”' }).click();
  await eventually(async () => (await list.getByRole('listitem').count()) === 2, 'one less');
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => (await list.getByRole('listitem').count()) === 3, 'it is back');
  await list.getByRole('button', { name: 'Delete the draft “Two”' }).click();
  await page.getByRole('link', { name: 'Submissions' }).first().click(); // whoever leaves meant it
  await eventually(async () => (await drafts(page)).map(({ title }) => title).join() === 'Three,One', 'two drafts');

  await page.goto('/member?view=upload');
  await list.getByRole('button', { name: 'Continue: One' }).click();
  await eventually(async () => (await title.inputValue()) === 'One', 'the draft in the form');
  const elsewhere = await stage.as('eve', '/member?view=upload');
  await elsewhere.getByRole('region', { name: 'Templates you are writing' }).getByRole('button', { name: 'Continue: One' }).click();
  await eventually(async () => (await elsewhere.getByRole('textbox', { name: 'Title' }).inputValue()) === 'One', 'the draft on another machine');

  await page.getByRole('textbox', { name: 'Template identifier' }).fill('eve/one');
  const sent = saves(page);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('You write of one.');
  await sent;
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('Submitted for review: eve/one').waitFor();
  await eventually(async () => (await drafts(page)).map(({ title }) => title).join() === 'Three', 'the draft is gone');

  elsewhere.expected.push('/api/member/template-drafts');
  await elsewhere.getByRole('textbox', { name: 'Prompt' }).fill('More of one.');
  const told = elsewhere.getByRole('alert').filter({ hasText: 'This draft was submitted or deleted elsewhere.' });
  await told.waitFor();
  assert.equal(await elsewhere.getByRole('textbox', { name: 'Prompt' }).inputValue(), 'More of one.');
  await told.getByRole('button', { name: 'Discard mine' }).click();
  await told.waitFor({ state: 'detached' });
  assert.deepEqual([await elsewhere.getByRole('textbox', { name: 'Prompt' }).inputValue(), (await drafts(page)).length], ['', 1]);
});
