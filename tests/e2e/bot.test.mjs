import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { check as axe } from './lib/access.mjs';
import { startBot } from './lib/bot.mjs';
import { binary } from './lib/server.mjs';
import { eventually, suite } from './lib/suite.mjs';

// A persona from the catalog into a running bot, from the page: plan, apply, changes by hand, update that widens, undo. The
// bot is the fake of internal/astrbottest with the rules of the real one.

let bot;
before(async () => {
  bot = await startBot();
});
after(() => bot?.stop());

const item = '/market?item=official%2Fcareful-translator';
const pack = '/market?pack=garden%2Fpack';
const texts = { 'en-US': { title: 'Garden', description: 'For gardeners.' } };
const sections = (version) => ({
  personas: { entries: { ann: { system_prompt: `You are Ann, a gardener.\nYou know version ${version}.` }, ben: { system_prompt: 'You are Ben.' } } },
  skills: { 'plant-care': { text: `---\nname: plant-care\n---\nWater on Mondays. ${version}` } },
  ...(version === '1.1.0' ? { mcp_servers: { weather: { url: 'https://weather.example.org/mcp' } } } : {}),
});

const models = {
  personas: { entries: { rose: { system_prompt: 'You are Rose.' } }, runtime: { default_personality: 'rose' } },
  providers: { 'garden-model': { type: 'openai_chat_completion', key: ['sk-not-for-anyone-0123456789abcdef'], api_base: 'https://models.example.net/v1', model_config: { temperature: 1.0 } } },
  astrbot_core: { provider_settings: { max_agent_step: 7 }, admins_id: ['mallory'], dashboard: { username: 'mallory' } },
};

function publish(server, version) {
  const file = join(server.data, 'garden.jsonl');
  writeFileSync(file, JSON.stringify({ id: 'garden/pack', version, pack_type: 'bot_profile_pack', locales: texts, sections: sections(version) }));
  server.run('import', file);
}

function publishModels(server) {
  const file = join(server.data, 'models.jsonl');
  writeFileSync(file, JSON.stringify({ id: 'garden/models', version: '1.0.0', pack_type: 'bot_profile_pack', locales: texts, sections: models }));
  server.run('import', file);
}

const stage = suite((_, server) => server.halt().then(() => publish(server, '1.0.0')).then(() => publishModels(server)).then(() => server.start()), { small: true });

/** What the browser itself sends to the bot is meant to be sent, and fails where the test wants it. */
function forgive(page) {
  page.problems = page.problems.filter((text) => !text.includes('127.0.0.1') && !text.includes('net::ERR'));
  page.expected.push(bot.open, bot.closed);
}

async function signedIn(path, options) {
  const page = await stage.open(path, options);
  const { userId, password } = stage.server;
  await page.request.post('/api/login', { data: { user_id: userId, password } });
  await page.reload();
  return page;
}

const words = {
  'en-US': { open: 'Put into my bot', address: 'Address of the bot', name: 'Name (optional)', key: 'API key of the bot', plan: 'Show the plan', apply: 'Apply to the bot' },
  'zh-CN': { open: '装入我的机器人', address: '机器人地址', name: '名称（可选）', key: '机器人的 API 密钥', plan: '查看计划', apply: '应用到机器人' },
  'ja-JP': { open: '自分のボットに入れる', address: 'ボットのアドレス', name: '名前（任意）', key: 'ボットの API キー', plan: '計画を表示', apply: 'ボットに適用' },
};

async function fill(page, { address = bot.open, name = 'Home', key = bot.key, locale = 'en-US' } = {}) {
  const said = words[locale];
  await page.getByRole('button', { name: said.open }).click();
  await page.getByRole('textbox', { name: said.address }).fill(address);
  await page.getByLabel(said.name, { exact: true }).fill(name);
  await page.getByLabel(said.key).fill(key);
  await page.getByRole('button', { name: said.plan }).click();
}

test('a newcomer puts a template into their bot, and takes it back to the byte', async () => {
  await bot.by('persona', { id: 'mine', prompt: 'Mine alone.' });
  const was = await bot.snapshot();
  const page = await stage.open(item);
  const seen = [];
  page.on('request', (request) => !request.url().startsWith(bot.open) && seen.push(`${request.url()} ${request.postData() ?? ''} ${JSON.stringify(request.headers())}`));
  await page.getByRole('button', { name: 'Put into my bot' }).click();
  await stage.signIn(page);
  await page.getByRole('textbox', { name: 'Address of the bot' }).fill('not an address ://');
  await page.getByLabel('API key of the bot').fill(bot.key);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('This is no address of a bot.').waitFor();
  await page.getByRole('textbox', { name: 'Address of the bot' }).fill(`${bot.open}/api/v1/`);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
  await axe(page, 'a plan');
  assert.equal(await bot.snapshot(), was, 'a plan changes nothing');
  await page.getByRole('button', { name: 'Apply to the bot' }).click();
  await page.getByText('Done and read back from the bot: 1 new').waitFor();
  await page.getByText('/persona').waitFor();
  assert.match(await bot.snapshot(), /persona .*Careful/i);
  await axe(page, 'a plan that was carried out');
  const mine = await (await page.request.get('/api/member/installations')).json();
  assert.deepEqual(mine.data.installations.map((one) => one.template_id), ['official/careful-translator'], 'the server knows what the member has');
  await page.getByRole('button', { name: 'Take back the last plan' }).click();
  await page.getByText('The last plan was taken back.').waitFor();
  assert.equal(await bot.snapshot(), was);
  const none = await (await page.request.get('/api/member/installations')).json();
  assert.deepEqual(none.data.installations, []);
  assert.deepEqual(seen.filter((line) => line.includes(bot.key)), [], 'the key went to the bot alone');
  assert.equal(await page.evaluate(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await new Promise((done) => {
    const request = indexedDB.open('stoa-bots');
    request.onsuccess = () => { request.result.transaction('bots').objectStore('bots').getAll().onsuccess = (event) => done(event.target.result); };
  })]).includes('abk_')), false, 'the key is stored nowhere');
  forgive(page);
});

test('drift, an update that widens and asks, and the way back', async () => {
  const was = await bot.snapshot();
  const page = await signedIn(pack);
  await fill(page);
  await page.getByText('plant-care', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Apply to the bot' }).click();
  await page.getByText('Done and read back from the bot: 3 new').waitFor();
  const first = await bot.snapshot();

  publish(stage.server, '1.1.0');
  await page.getByRole('link', { name: 'All my bots' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.getByLabel('API key of the bot').fill(bot.key);
  await bot.by('persona', { id: 'ben', prompt: 'You are Ben, and mine.' });
  await page.getByRole('button', { name: 'Check for changes by hand' }).click();
  await page.getByText('1 object was changed by hand').waitFor();
  await axe(page, 'the bots of a member');

  await eventually(async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Update: ' }).waitFor({ timeout: 1000 });
    return true;
  }, 'the new version');
  await page.getByLabel('API key of the bot').fill(bot.key);
  await page.getByRole('button', { name: 'Update: ' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The bot will reach more than now').waitFor();
  await dialog.getByText('Connects to weather.example.org').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Apply to the bot' }).isDisabled(), true, 'what widens needs a yes');
  await dialog.getByRole('listitem').filter({ hasText: 'ann' }).getByText('What changes in it').click();
  await dialog.getByText('You know version 1.1.0.').waitFor();
  await dialog.getByText('Yes, the bot may do this.').click();
  await dialog.getByRole('button', { name: 'Apply to the bot' }).click();
  await dialog.getByText('1 new, 2 changed, 0 removed, 1 kept').waitFor();
  assert.match(await bot.snapshot(), /Ben, and mine/, 'what was changed by hand stays');
  await page.keyboard.press('Escape');

  await page.getByLabel('API key of the bot').fill(bot.key);
  await page.getByRole('button', { name: 'Take back the last plan' }).click();
  await page.getByText('The bot is as it was before it.').waitFor();
  await bot.by('persona', { id: 'ben', prompt: 'You are Ben.' });
  assert.equal(await bot.snapshot(), first);
  await page.getByRole('button', { name: /Take back the last plan/ }).click();
  await page.getByText('Nothing from Stoa is in this bot.').waitFor();
  assert.equal(await bot.snapshot(), was);
  forgive(page);
});

test('an apply that breaks off is continued, and one of two pages waits', async () => {
  const was = await bot.snapshot();
  const page = await signedIn(pack);
  await fill(page, { name: '' });
  await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
  const agree = page.getByText('Yes, the bot may do this.');
  if (await agree.isVisible()) await agree.click();
  await bot.by('fault', { kind: 'after', after: '1' });
  await page.getByRole('button', { name: 'Apply to the bot' }).click();
  await page.getByText('Stopped at').waitFor();
  await page.getByText('The bot does not answer any more.').waitFor();
  assert.equal(await page.getByRole('alert').locator('code').count(), 0, 'a command would begin a plan of its own');
  await bot.by('fault', {});
  const other = await page.context().newPage();
  await other.goto('/member?view=bots');
  await other.getByText('A plan for this bot was interrupted.').waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Done and read back from the bot').waitFor();
  await page.getByRole('button', { name: 'Take back the last plan' }).click();
  await page.getByText('The last plan was taken back.').waitFor();
  assert.equal(await bot.snapshot(), was);
  forgive(page);
});

const apart = async (locks) => {
  const was = await bot.snapshot();
  const page = await signedIn(pack);
  if (!locks) {
    await page.context().addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }));
    await page.reload();
  }
  assert.equal(await page.evaluate(() => Boolean(navigator.locks)), locks);
  await fill(page);
  const agree = page.getByText('Yes, the bot may do this.');
  await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
  if (await agree.isVisible()) await agree.click();
  const other = await page.context().newPage();
  await other.goto(pack);
  await other.getByRole('button', { name: 'Put into my bot' }).click();
  await other.getByRole('textbox', { name: 'Address of the bot' }).fill(bot.open);
  await other.getByLabel('API key of the bot').fill(bot.key);

  // The bot takes its time with the first change.
  let go;
  const held = new Promise((done) => (go = done));
  let asked;
  const writing = new Promise((done) => (asked = done));
  await page.context().route(`${bot.open}/**`, async (route) => {
    if (route.request().method() === 'POST') {
      asked();
      await held;
    }
    await route.continue();
  });
  await page.getByRole('button', { name: 'Apply to the bot' }).click();
  await writing;
  await other.getByRole('button', { name: 'Show the plan' }).click();
  await other.getByText('Another tab of this browser works on this bot.').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Take back the last plan' }).count(), 0);
  go();
  await page.getByText('Done and read back from the bot').waitFor();
  await other.getByRole('button', { name: 'Show the plan' }).click();
  await other.getByText('Everything is in place already.').waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Take back the last plan' }).click();
  await page.getByText('The last plan was taken back.').waitFor();
  assert.equal(await bot.snapshot(), was);
  forgive(page);
};

test('while one page works on a bot, another one neither goes on with its plan nor takes it back', () => apart(true));
test('the same where pages have no locks, as over plain HTTP', () => apart(false));

test('models and settings come in when they are asked for, line by line, and go back to the byte', async () => {
  // Numbers that a browser would respell stand beside what changes.
  await bot.by('config', { old: '{"config_version":2,', new: '{"config_version":2,"big":12345678901234567890,"rate":1.0,' });
  const was = await bot.snapshot();
  const page = await signedIn('/market?pack=garden%2Fmodels');
  await fill(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('rose', { exact: true }).waitFor();
  assert.equal(await dialog.getByText('garden-model', { exact: true }).count(), 0, 'off by default');
  await dialog.getByText('Also take models and settings').click();
  await dialog.getByText('garden-model', { exact: true }).waitFor();
  const setting = dialog.getByRole('listitem').filter({ hasText: 'provider_settings.max_agent_step' });
  await setting.getByText('30').waitFor();
  await setting.getByText('7', { exact: false }).first().waitFor();
  await dialog.getByText('Connects to models.example.net').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Apply to the bot' }).isDisabled(), true, 'what widens needs a yes');
  await axe(page, 'a plan with models and settings');
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, 'models-and-settings.png') });
  assert.equal(await bot.snapshot(), was);
  await dialog.getByText('Yes, the bot may do this.').click();

  // Somebody sets the same value while the plan is being looked at: it stops there, and what was done goes back.
  await bot.by('config', { old: '"max_agent_step":30', new: '"max_agent_step":31' });
  await dialog.getByRole('button', { name: 'Apply to the bot' }).click();
  await dialog.getByText('Changed by hand since: provider_settings.max_agent_step').waitFor();
  await bot.by('config', { old: '"max_agent_step":31', new: '"max_agent_step":30' });
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('Done and read back from the bot: 2 new, 2 changed').waitFor();
  const then = await bot.snapshot();
  assert.match(then, /"big":12345678901234567890,"rate":1\.0,/);
  assert.match(then, /"max_agent_step":7,/);
  assert.match(then, /provider .*"garden-model"/);
  assert.match(then, /"enable":false/);
  assert.doesNotMatch(then, /sk-not-for-anyone|mallory/);

  await bot.by('config', { old: '"max_agent_step":7', new: '"max_agent_step":9' });
  await dialog.getByRole('link', { name: 'All my bots' }).click();
  await page.getByLabel('API key of the bot').fill(bot.key);
  await page.getByRole('button', { name: 'Check for changes by hand' }).click();
  await page.getByText('1 object was changed by hand').waitFor();
  await page.getByText('Setting provider_settings.max_agent_step').waitFor();
  await page.getByRole('button', { name: 'Take back the last plan' }).click();
  await page.getByText('Changed by hand since: provider_settings.max_agent_step').waitFor();
  await bot.by('config', { old: '"max_agent_step":9', new: '"max_agent_step":7' });
  await page.getByRole('button', { name: 'Take back the last plan' }).click();
  await page.getByText('The bot is as it was before it.').waitFor();
  assert.equal(await bot.snapshot(), was);
  forgive(page);
});

test('a key without the scopes for models and settings is told so, and the rest comes', async () => {
  const small = await startBot('persona', 'skill', 'mcp', 'config');
  try {
    const page = await signedIn('/market?pack=garden%2Fmodels');
    await fill(page, { address: small.open, name: 'Small', key: small.key });
    await page.getByText('Also take models and settings').click();
    await page.getByText('The key has not the scope provider').waitFor();
    await page.getByText('provider_settings.max_agent_step', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Apply to the bot' }).click();
    await page.getByText('Done and read back from the bot: 1 new, 2 changed').waitFor();
    assert.doesNotMatch(await small.snapshot(), /garden-model/);
    page.expected.push(small.open);
    forgive(page);
  } finally {
    small.stop();
  }
});

/** Somebody types what the page says into a terminal of a machine on which nobody has signed in before. */
async function carriedOut(lines) {
  const was = await bot.snapshot();
  const home = mkdtempSync(join(tmpdir(), 'stoa-home-'));
  const password = join(home, 'password');
  writeFileSync(password, stage.server.password);
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'settings'), STOA_BOT_KEY: bot.key };
  const run = (args) => execFileSync(binary, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const commands = lines.split('\n').map((line) => line.split(' '));
    assert.deepEqual(commands.map(([stoa, verb]) => `${stoa} ${verb}`), ['stoa login', 'stoa apply']);
    for (const [, verb, ...rest] of commands) run([verb, ...rest, ...(verb === 'login' ? ['--password-file', password] : ['--yes'])]);
    assert.match(await bot.snapshot(), /persona .*Careful/i);
    run(['undo', '--bot', commands[1].at(-1)]);
    assert.equal(await bot.snapshot(), was);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

for (const [locale, said] of Object.entries({
  'en-US': { cors: 'does not allow calls from web pages', key: 'does not accept the key', older: 'older than AstrBot 4.20', html: 'does not answer as an AstrBot' },
  'zh-CN': { cors: '不允许网页调用', key: '不接受此密钥', older: '低于 AstrBot 4.20', html: '不像是 AstrBot' },
  'ja-JP': { cors: '呼び出し（CORS）を許可していません', key: 'キーを受け付けません', older: 'AstrBot 4.20 より古い', html: 'AstrBot のものではありません' },
})) {
  test(`what goes wrong with a bot is said in ${locale}`, async () => {
    const page = await signedIn(item, { locale });
    await fill(page, { address: bot.closed, locale });
    await page.getByText(said.cors).waitFor();
    await carriedOut(await page.getByRole('alert').locator('code').innerText());
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `no-answer-${locale}.png`) });
    const address = page.getByRole('textbox', { name: words[locale].address });
    const again = () => page.getByRole('button', { name: words[locale].plan }).click();
    await address.fill(bot.open);
    await page.getByLabel(words[locale].key).fill('abk_other');
    await again();
    await page.getByText(said.key).waitFor();
    await page.getByLabel(words[locale].key).fill(bot.key);
    await bot.by('older', { older: 'yes' });
    await again();
    await page.getByText(said.older).waitFor();
    await bot.by('older', {});
    await bot.by('fault', { kind: 'html', all: 'yes' });
    await again();
    await page.getByText(said.html).waitFor();
    await bot.by('fault', {});
    forgive(page);
  });
}
