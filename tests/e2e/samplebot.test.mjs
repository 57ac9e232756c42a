import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';

// Who has no bot at hand practises on the sample bot: the whole way of an item into a bot and back, in the browser alone.

const stage = suite(undefined, { small: true });

const words = {
  'en-US': { open: 'Put into my bot', sample: 'The sample bot', plan: 'Show the plan', apply: 'Apply to the bot', done: 'Done and read back from the bot: 1 new', contents: 'What is in it', persona: 'Persona:', save: 'Save', look: 'Check for changes by hand', drift: '1 object was changed by hand:', back: 'Take back the last plan', changed: 'Changed by hand since:', force: 'Take back and lose my changes', undone: 'The last plan was taken back.', forget: 'Forget this bot', none: 'No bots yet' },
  'zh-CN': { open: '装入我的机器人', sample: '示例机器人', plan: '查看计划', apply: '应用到机器人' },
  'ja-JP': { open: '自分のボットに入れる', sample: 'サンプルボット', plan: '計画を表示', apply: 'ボットに適用' },
};

for (const [locale, width] of [['en-US', 'wide'], ['zh-CN', 'narrow'], ['ja-JP', 'narrow']]) {
  test(`an item goes into the sample bot and comes out again: ${locale}`, async () => {
    const said = words[locale];
    const page = await stage.open('/market?item=official%2Fcareful-translator', { locale, width });
    await page.request.post('/api/login', { data: { user_id: stage.server.userId, password: stage.server.password } });
    await page.reload();
    await page.getByRole('button', { name: said.open }).click();
    await page.getByRole('radio', { name: said.sample }).check();
    await axe(page, 'the choice of a bot');
    await page.getByRole('button', { name: said.plan }).click();
    await page.getByRole('button', { name: said.apply }).click();
    await page.locator('dialog .note.good').waitFor();
    await axe(page, 'the sample bot has an item');
    const mine = await (await page.request.get('/api/member/installations')).json();
    assert.deepEqual(mine.data.installations, [], 'practice is no installation');
    if (locale !== 'en-US') return;

    await page.getByText(said.done).waitFor();
    await page.getByRole('link', { name: 'All my bots' }).click();
    await page.getByText(said.contents).click();
    const prompts = page.getByLabel(said.persona);
    assert.equal(await prompts.count(), 2, 'its own persona and that of the item');
    await axe(page, 'what is in the sample bot');
    const brought = page.getByLabel(/^Persona: (?!Cook)/);
    await brought.fill('You are somebody else.');
    await page.getByRole('button', { name: /^Save “(?!Cook)/ }).click();
    await page.getByRole('button', { name: said.look }).click();
    await page.getByText(said.drift).waitFor();
    await page.getByRole('button', { name: said.back, exact: true }).click();
    await page.getByText(said.changed).waitFor();
    await page.getByRole('button', { name: said.force }).click();
    await page.getByText(said.undone).waitFor();
    await page.reload();
    await page.getByText(said.contents).click();
    assert.equal(await page.getByLabel(said.persona).count(), 1, 'as it was before');
    await page.getByRole('button', { name: said.forget }).click();
    await page.getByText(said.none).waitFor();
  });
}
