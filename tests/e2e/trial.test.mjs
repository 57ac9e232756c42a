import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { choose } from './lib/choose.mjs';
import { check as axe } from './lib/access.mjs';
import { startModel } from './lib/model.mjs';
import { eventually, suite } from './lib/suite.mjs';

const model = await startModel();
after(() => model.stop());
const stage = suite(undefined, {
  small: true,
  windowed: true, // the shell falls behind a model that never stops talking
  flags: ['--trial.url', `${model.base}/closed/v1`, '--trial.model', 'polite', '--trial.relay', 'private', '--quota.trial-messages', '3'],
});

const item = '/market?item=official%2Fcareful-translator';

/** What the browser itself sends to the model's server is meant to be sent. */
function forgive(page) {
  page.problems = page.problems.filter((text) => !text.includes(model.base));
  page.expected.push(model.base);
}

async function signedIn(path, options) {
  const page = await stage.open(path, options);
  const { userId, password } = stage.server;
  await page.request.post('/api/login', { data: { user_id: userId, password } });
  await page.reload();
  return page;
}

async function own(page, { name = 'polite', way = 'open', labels = ['Start talking', 'My own model server', 'Address', 'Name of the model', 'Key (if it needs one)'] } = {}) {
  const [start, mine, address, called, key] = labels;
  await page.getByRole('button', { name: start }).click();
  await page.getByText(mine, { exact: true }).click();
  await page.getByLabel(address, { exact: true }).fill(`${model.base}/${way}/v1/`);
  await page.getByLabel(called, { exact: true }).fill(name);
  await page.getByLabel(key, { exact: true }).fill('sk-mine');
}

async function say(page, text, [question, send] = ['Your question', 'Send']) {
  await page.getByLabel(question, { exact: true }).fill(text);
  await page.locator('form').filter({ has: page.getByLabel(question, { exact: true }) }).getByRole('button', { name: send, exact: true }).click();
}

test('a newcomer talks to a template with two clicks after signing in, and sees what is left of today', async () => {
  const page = await stage.open(item);
  await page.getByRole('button', { name: 'Start talking' }).click();
  await stage.signIn(page);
  await page.getByText('0 of 3 answers used today').waitFor();
  await say(page, 'Good morning');
  await page.getByText('Certainly. You asked “Good morning”; I translate.').waitFor();
  await page.getByText('1 of 3 answers used today').waitFor();
  await axe(page, 'a conversation');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('2 of 3 answers used today').waitFor();
  assert.equal(await page.getByText('I translate').count(), 1, 'the answer was replaced');
  const { body } = model.asked.at(-1);
  assert.deepEqual(body.messages.map((message) => message.role), ['system', 'user']);
  await say(page, 'And you?');
  await page.getByText('3 of 3 answers used today').waitFor();
  assert.deepEqual(model.asked.at(-1).body.messages.map((message) => message.role), ['system', 'user', 'assistant', 'user']);
  page.expected.push('/api/trial/chat');
  const asked = model.asked.length;
  await say(page, 'One more');
  await page.getByText('You have used all answers of today.').waitFor();
  assert.equal(model.asked.length, asked);
});

test('a model server of one’s own is asked by the browser alone, and its key is nowhere', async () => {
  const page = await signedIn(item);
  const seen = [];
  page.on('request', (request) => seen.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`));
  await own(page);
  await say(page, 'Good morning');
  await page.getByText('I translate').waitFor();
  assert.equal(model.asked.at(-1).key, 'Bearer sk-mine');
  assert.equal(model.asked.at(-1).origin, 'null', 'asked by a document without an origin');
  assert.deepEqual(seen.filter((line) => line.includes('sk-mine') || line.includes('/api/trial/chat')), []);
  assert.equal(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]).includes('sk-mine')), false);
  forgive(page);
});

test('where the server allows no calls from pages, Stoa hands the question on', async () => {
  const page = await signedIn(item);
  await own(page, { way: 'closed' });
  await say(page, 'Good morning');
  await page.getByText('I translate').waitFor();
  await page.getByText('Stoa passes your questions on to it and stores nothing.').waitFor();
  assert.equal(model.asked.at(-1).origin, undefined, 'asked by Stoa');
  forgive(page);
});

test('an answer is stopped, and one that never ends stops by itself', async () => {
  const page = await signedIn(item);
  await own(page, { name: 'hang' });
  await say(page, 'Good morning');
  await page.getByText('One moment').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await page.getByLabel('Name of the model').fill('ever');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('The model did not come to an end; it was stopped.').waitFor({ timeout: 60_000 }); // all of it is drawn first
  forgive(page);
});

const languages = {
  'en-US': { labels: ['Start talking', 'My own model server', 'Address', 'Name of the model', 'Key (if it needs one)'], say: ['Your question', 'Send'], key: 'refuses the key', often: 'asked too often', page: 'no answer of a model' },
  'zh-CN': { labels: ['开始对话', '我自己的模型服务器', '地址', '模型名称', '密钥（如需要）'], say: ['你的问题', '发送'], key: '拒绝了密钥', often: '过于频繁', page: '不是模型回复' },
  'ja-JP': { labels: ['会話を始める', '自分のモデルサーバー', 'アドレス', 'モデル名', 'キー（必要な場合）'], say: ['質問', '送信'], key: 'キーを拒否', often: 'リクエストが多すぎます', page: 'モデルの回答ではない' },
};
for (const [locale, words] of Object.entries(languages)) {
  test(`what goes wrong with a model is said in ${locale}`, async () => {
    const page = await signedIn(item, { locale });
    await own(page, { labels: words.labels });
    for (const name of ['key', 'often', 'page']) {
      await page.getByLabel(words.labels[3], { exact: true }).fill(name);
      await say(page, 'Hello', words.say);
      await page.getByText(words[name]).last().waitFor();
    }
    forgive(page);
  });
}

test('the same question goes to one’s own prompt beside it', async () => {
  const page = await signedIn(item, { width: 'narrow' });
  await own(page);
  await choose(page.getByRole('combobox', { name: 'Compare with' }), 'My present prompt');
  await page.getByLabel('Your present prompt').fill('You are a cook.');
  await say(page, 'Good morning');
  await page.getByText('I translate').waitFor();
  await page.getByText('I am somebody else').waitFor();
  await page.getByText('Ask at least 4 questions').waitFor();
  for (const [n, question] of ['And now?', 'And then?', 'And why?'].entries()) {
    await say(page, question);
    await page.getByText(`You asked “${question}”`).nth(1).waitFor();
    assert.equal(model.asked.length > n, true);
  }
  await page.getByText('No difference that matters in 4 answers.').waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wide, 0, 'nothing is wider than the window');
  forgive(page);
});

test('who has talked already and then compares is told what is compared', async () => {
  const page = await signedIn(item);
  await own(page);
  await say(page, 'Before');
  await page.getByText('I translate').waitFor();
  await choose(page.getByRole('combobox', { name: 'Compare with' }), 'My present prompt');
  await page.getByLabel('Your present prompt').fill('You are a cook.');
  for (const question of ['One', 'Two', 'Three', 'Four']) {
    await say(page, question);
    await page.getByText(`You asked “${question}”`).nth(1).waitFor();
  }
  await page.getByText('Only Careful Translator was asked your earlier questions.').waitFor();
  await page.getByText('No difference that matters in 4 answers.').waitFor();
  forgive(page);
});

test('a set of own questions is kept and asked of both sides at once', async () => {
  const page = await signedIn(item);
  await own(page);
  for (const question of ['Good morning', 'What is a cook?', 'And why?']) {
    await page.getByLabel('Your question', { exact: true }).fill(question);
    if (question === 'Good morning') await page.getByText('My questions (0)').click();
    await page.getByRole('button', { name: 'Add this question' }).click();
  }
  await page.getByRole('button', { name: 'Remove: And why?' }).click();
  await page.getByText('My questions (2)').waitFor();
  await axe(page, 'own questions');
  await page.reload();
  await own(page);
  await choose(page.getByRole('combobox', { name: 'Compare with' }), 'My present prompt');
  await page.getByLabel('Your present prompt').fill('You are a cook.');
  await page.getByText('My questions (2)').click();
  await page.getByText(/Asks for 4 answers; at least [\d,]+ tokens will be sent/).waitFor();
  await page.getByRole('button', { name: 'Ask all' }).click();
  await page.getByText('You asked “What is a cook?”; I am somebody else').waitFor();
  await page.getByText('You asked “What is a cook?”; I translate').waitFor();
  assert.equal(await page.getByText('You asked “Good morning”').count(), 2);
  forgive(page);
});

test('an author keeps a conversation as the example of what they submitted, and then of what is published', async () => {
  const page = await signedIn('/member?view=submissions');
  const submit = async (version) => (await (await page.request.post('/api/templates/submit', { headers: { Origin: stage.server.base }, data: { template_id: 'greeter', version, title: 'Greeter', prompt: 'You greet people.' } })).json()).data.submission_id;
  const id = await submit('1.0.0');
  const waiting = `/member?view=submissions&kind=template&submission=${id}`;
  await page.goto(waiting);
  await own(page);
  const keep = page.getByRole('button', { name: 'Keep this conversation' });
  assert.equal(await keep.getAttribute('aria-disabled'), 'true', 'nothing was said yet');
  await say(page, 'Good morning, my key is sk-proj-Q7zR2mX9bT4cV6nL1kJ8hG5fD3sA0pWe');
  await page.getByText('somebody else').first().waitFor();
  await keep.click();
  await page.getByText(/Kept, with secrets masked in \d messages?\. It is shown once/).waitFor();
  await axe(page, 'an example kept');
  assert.match(stage.server.run('review', 'show', id), /examples: recorded/);
  await say(page, 'Good evening');
  await page.getByText('“Good evening”').waitFor();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await say(page, 'Good evening');
  await page.getByText('“Good evening”').waitFor();
  await keep.click();
  await page.getByText('Kept. It is shown once a reviewer has approved it.').waitFor();
  stage.server.run('review', 'show', id);
  // The command is another process: the server's catalog has what it wrote a moment later, and the open page may ask before that.
  page.expected.push('/api/templates/detail');
  stage.server.run('review', 'approve', id);
  const published = async () => (await page.request.get('/api/market/item?item_id=greeter')).ok();
  await eventually(published, 'the item is published');
  await page.goto('/market?item=greeter');
  const shown = page.getByRole('region', { name: 'Example conversations' });
  await shown.getByText('Recorded by the author with polite').waitFor();
  await shown.getByText('Good evening', { exact: true }).waitFor();
  await own(page);
  await page.getByRole('button', { name: 'Remove the example' }).click();
  await page.getByText('Removed. What is published changes').waitFor();
  await page.getByRole('link', { name: 'Open the submission' }).click();
  await page.getByText('Example conversations only').first().waitFor();
  forgive(page);
});
