import { expect, test } from 'vitest';
import { AstrBot } from './astrbot';
import type { Call } from './calls';

/** A bot's configuration and models as AstrBot answers them. */
function fake(config: string, providers: string[] = [], scopes = ['provider', 'config']) {
  const bot = { config, providers, writes: [] as string[] };
  const call: Call = ({ url, method, body }) => {
    const path = new URL(url).pathname.replace('/api/v1', '');
    const scope = path.startsWith('/providers') ? 'provider' : 'config';
    if (!scopes.includes(scope)) return Promise.resolve({ status: 403, text: '{"status":"error","message":"Insufficient API key scope","data":null}' });
    let data = 'null';
    if (method === 'GET') data = scope === 'config' ? `{ "config": ${bot.config}, "metadata": {"config": 1}}` : `[${bot.providers.join()}]`;
    else {
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
      bot.writes.push(`${method} ${path} ${text}`);
      if (scope === 'config') bot.config = text;
    }
    return Promise.resolve({ status: 200, text: `{"status":"ok","message":null,"data":${data}}` });
  };
  return { bot, target: new AstrBot('http://bot.test', 'abk_x', call) };
}

const setting = (id: string) => ({ kind: 'config', id }) as const;

test('one setting changes, and every other byte of the configuration goes back as it stood', async () => {
  const config = '{"big": 12345678901234567890, "s":{"step":30,"rate":1.0}, "admins_id":["me"]}';
  const { bot, target } = fake(config);
  const keys = [setting('s.step'), setting('s.rate'), setting('s.none'), setting('big')];
  expect([...(await target.read(keys))]).toEqual([['config s.step', '30'], ['config s.rate', '1.0'], ['config big', '12345678901234567890']]);
  await target.write(setting('s.step'), '30', '7');
  expect(bot.config).toBe(config.replace('30', '7'));
  await target.write(setting('s.none'), null, '"new"');
  await target.write(setting('s.none'), '"new"', null);
  await target.write(setting('s.step'), '7', '30');
  expect(bot.config).toBe(config);
});

test('a setting that somebody else changed meanwhile, or that has no place, is not written', async () => {
  const { bot, target } = fake('{"s":{"step":31}}');
  await expect(target.write(setting('s.step'), '30', '7')).rejects.toMatchObject({ problem: 'changed', keys: [setting('s.step')] });
  await expect(target.write(setting('other.step'), null, '7')).rejects.toMatchObject({ problem: 'no_setting', detail: 'other.step' });
  expect(bot.writes).toEqual([]);
});

test('models keep the spelling of their numbers, and are made switched off where they say so', async () => {
  const { bot, target } = fake('{}', ['{"id":"a","t":1.0,"enable":true}', '{"id":"b"}']);
  expect([...(await target.read([{ kind: 'provider', id: 'a' }]))]).toEqual([['provider a', '{"enable":true,"id":"a","t":1.0}']]);
  await target.write({ kind: 'provider', id: 'c' }, null, '{"enable":false,"id":"c","t":2.0}');
  expect(bot.writes).toEqual(['POST /providers {"config":{"enable":false,"id":"c","t":2.0},"enabled":false}']);
});

test('what the key may do is found out', async () => {
  const { target } = fake('{}', [], ['config']);
  expect([await target.may('provider'), await target.may('config')]).toEqual([false, true]);
});
