import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { startBot } from './lib/bot.mjs';
import { eventually, suite } from './lib/suite.mjs';

// A pack with models and settings in a running bot, from the page: an update beside a setting that was changed by hand, and the
// way back to the byte.

let bot;
before(async () => {
  bot = await startBot();
});
after(() => bot?.stop());

const sections = (next) => ({
  personas: { entries: { rose: { system_prompt: `You are Rose${next ? ', and you know more' : ''}.` } }, runtime: { default_personality: 'rose' } },
  providers: { 'garden-model': { type: 'openai_chat_completion', key: [], api_base: `https://${next ? 'newer' : 'models'}.example.net/v1`, model_config: { temperature: 1.0 } } },
  astrbot_core: { provider_settings: { max_agent_step: next ? 8 : 7, max_context_length: next ? 40 : 20 } },
});

function publish(server, next) {
  const file = join(server.data, 'models.jsonl');
  writeFileSync(file, JSON.stringify({ id: 'garden/models', version: next ? '1.1.0' : '1.0.0', pack_type: 'bot_profile_pack', locales: { 'en-US': { title: 'Garden', description: 'For gardeners.' } }, sections: sections(next) }));
  server.run('import', file);
}

const stage = suite((_, server) => server.halt().then(() => publish(server, false)).then(() => server.start()), { small: true });
const shot = async (page, name) => process.env.SHOTS && (await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true }));

test('an update of models and settings keeps what was set by hand, asks before it widens, and goes back to the byte', async () => {
  await bot.by('config', { old: '{"config_version":2,', new: '{"config_version":2,"big":12345678901234567890,"rate":1.0,' });
  const was = await bot.snapshot();
  const page = await stage.open('/market?pack=garden%2Fmodels');
  await page.request.post('/api/login', { data: { user_id: stage.server.userId, password: stage.server.password } });
  await page.reload();
  await page.getByRole('button', { name: 'Put into my bot' }).click();
  await page.getByRole('textbox', { name: 'Address of the bot' }).fill(bot.open);
  await page.getByLabel('Name (optional)', { exact: true }).fill('Home');
  await page.getByLabel('API key of the bot').fill(bot.key);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Also take models and settings').click();
  await dialog.getByText('Connects to models.example.net').waitFor();
  await dialog.getByText('Yes, the bot may do this.').click();
  await dialog.getByRole('button', { name: 'Apply to the bot' }).click();
  await dialog.getByText('Done and read back from the bot').waitFor();
  const first = await bot.snapshot();
  assert.match(first, /"max_agent_step":7,/);
  assert.match(first, /models\.example\.net/);

  // By hand another number; then the next version comes.
  await bot.by('config', { old: '"max_agent_step":7', new: '"max_agent_step":9' });
  const byHand = await bot.snapshot();
  publish(stage.server, true);
  await eventually(async () => {
    await page.goto('/member?view=bots');
    await page.getByRole('button', { name: 'Update: ' }).waitFor({ timeout: 1000 });
    return true;
  }, 'the new version');
  await page.getByLabel('API key of the bot').fill(bot.key);
  await page.getByRole('button', { name: 'Update: ' }).click();
  await dialog.getByText('Connects to newer.example.net').waitFor();
  const kept = dialog.getByRole('listitem').filter({ hasText: 'provider_settings.max_agent_step' });
  await shot(page, 'update-models');
  await axe(page, 'an update of models and settings');
  await kept.getByText('hand', { exact: false }).first().waitFor();
  const apply = dialog.getByRole('button', { name: 'Apply to the bot' });
  assert.equal(await apply.isDisabled(), true, 'what widens needs a yes');
  assert.equal(await bot.snapshot(), byHand, 'a plan changes nothing');
  await dialog.getByText('Yes, the bot may do this.').click();
  await apply.click();
  await dialog.getByText('Done and read back from the bot').waitFor();
  const updated = await bot.snapshot();
  assert.match(updated, /"max_agent_step":9,/, 'what was set by hand stays');
  assert.match(updated, /"max_context_length":40/);
  assert.match(updated, /newer\.example\.net/);
  assert.match(updated, /You are Rose, and you know more\./);
  assert.match(updated, /"big":12345678901234567890,"rate":1\.0,/);
  await page.keyboard.press('Escape');

  // To the version before in one step: the configuration is as it was, with what was set by hand.
  await page.getByRole('button', { name: 'Back to 1.0.0' }).click();
  await dialog.getByText('garden/models, version 1.0.0.').waitFor();
  await shot(page, 'back-models');
  if (await dialog.getByText('Yes, the bot may do this.').count()) await dialog.getByText('Yes, the bot may do this.').click();
  await apply.click();
  await dialog.getByText('Done and read back from the bot').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await bot.snapshot(), byHand);

  // And plan by plan to a bot that never knew the pack.
  await bot.by('config', { old: '"max_agent_step":9', new: '"max_agent_step":7' });
  for (let n = 0; n < 3; n++) {
    await page.reload();
    await page.getByLabel('API key of the bot').fill(bot.key);
    await page.getByRole('button', { name: 'Take back the last plan' }).click();
    await page.getByText(n < 2 ? 'The bot is as it was before it.' : 'Nothing from Stoa is in this bot.').waitFor();
  }
  assert.equal(await bot.snapshot(), was);
  page.problems = page.problems.filter((text) => !text.includes('127.0.0.1') && !text.includes('net::ERR'));
  page.expected.push(bot.open);
});
