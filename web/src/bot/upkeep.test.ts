import { expect, test } from 'vitest';
import { emptyState, gainsOf, nameOf, newPlan, Runner, type Journal, type Key, type Package, type State, type Target, type Value } from './engine';
import { holdOf, updatable, upkeepOf, versionBefore, withHold } from './upkeep';

const versions = [
  { version: '1.1.0', published_at: '2026-11-20T10:00:00Z', risk_level: 'low' as const },
  { version: '1.0.0', published_at: '2026-10-01T10:00:00Z', risk_level: 'low' as const },
];
const found = { latest: '1.1.0', versions };
const at = (text: string) => new Date(text).getTime();
const none = { item: 'a', pin: false, wait: 0 };

test('says of an item what `stoa outdated` says', () => {
  const now = at('2026-11-25T12:00:00Z');
  const statusOf = (version: string, hold = none, catalogued: typeof found | null = found, when = now) => upkeepOf({ version }, hold, catalogued, when).status;
  expect(statusOf('1.1.0')).toBe('current');
  expect(statusOf('1.0.0')).toBe('outdated');
  expect(statusOf('1.0.0', { ...none, pin: true })).toBe('pinned');
  expect(statusOf('1.1.0', { ...none, pin: true })).toBe('current');
  expect(statusOf('1.0.0', { ...none, wait: 7 })).toBe('waiting');
  expect(statusOf('1.0.0', { ...none, wait: 7 }, found, at('2026-11-27T10:00:00Z'))).toBe('outdated');
  expect(upkeepOf({ version: '1.0.0' }, { ...none, wait: 7 }, found, now).until).toEqual(new Date('2026-11-27T10:00:00Z'));
  // Somebody who has what was taken down is led away from it, whatever they hold.
  expect(statusOf('0.9.0', { ...none, pin: true })).toBe('taken_down');
  expect(statusOf('1.0.0', none, null)).toBe('withdrawn');
  expect(['outdated', 'taken_down', 'current', 'pinned', 'waiting', 'withdrawn'].map((status) => updatable({ status: status as 'current', latest: '' }))).toEqual([true, true, false, false, false, false]);
});

test('a hold is kept for one item, and one that holds nothing is taken off', () => {
  let state = withHold(emptyState(), { item: 'a', pin: true, wait: 0 });
  state = withHold(state, { item: 'b', pin: false, wait: 7 });
  expect([holdOf(state, 'a').pin, holdOf(state, 'b').wait, holdOf(state, 'c')]).toEqual([true, 7, { item: 'c', pin: false, wait: 0 }]);
  state = withHold(withHold(state, { ...none, wait: 3 }), { item: 'b', pin: false, wait: 0 });
  expect(state.holds).toEqual([{ item: 'a', pin: false, wait: 3 }]);
});

class Memory implements Target, Journal {
  objects = new Map<string, string>();
  text = JSON.stringify(emptyState());
  read = async (keys: readonly Key[]) => new Map([...this.objects].filter(([name]) => keys.some((key) => nameOf(key) === name)));
  write = async (key: Key, _: Value, after: Value) => void (after === null ? this.objects.delete(nameOf(key)) : this.objects.set(nameOf(key), after));
  load = async () => JSON.parse(this.text) as State;
  save = async (state: State) => void (this.text = JSON.stringify(state));
}

const packageOf = (id: string, version: string, hosts: string[] = []): Package => ({
  id, kind: 'profile_pack', title: '', version, sha256: version, locale: '', at: '', left: [],
  reach: { capabilities: [], hosts, plugins: [], environment: [] },
  objects: [{ kind: 'persona', id, value: `"${version}"` }, ...(version === '2' ? [{ kind: 'skill' as const, id, value: '"new"' }] : [])],
});

test('the version before comes out of the journal, and going back is a plan like any other', async () => {
  const bot = new Memory();
  const runner = new Runner(bot, bot);
  const put = async (one: Package) => runner.apply(await newPlan(bot, await bot.load(), [one]), true);
  const before = async (id: string) => versionBefore(await bot.load(), id);
  await put(packageOf('a', '1', ['old.example']));
  expect(await before('a')).toBeUndefined();
  const first = [...bot.objects];
  await put(packageOf('a', '2'));
  await put(packageOf('b', '1')); // what comes between does not matter
  await put(packageOf('a', '3'));
  expect((await before('a'))?.version).toBe('2');

  await put((await before('a'))!);
  expect(bot.objects.get('skill a')).toBe('"new"');
  const back = (await before('a'))!;
  expect(back.version).toBe('1');
  expect(gainsOf(await bot.load(), back)).toEqual(['host old.example']);
  await expect(runner.apply(await newPlan(bot, await bot.load(), [back]), false)).rejects.toMatchObject({ problem: 'consent' });
  await put(back);
  expect([...bot.objects].filter(([name]) => name.endsWith(' a'))).toEqual(first);
  expect(await before('a')).toBeUndefined();

  await put(packageOf('a', '4'));
  expect((await before('a'))?.version).toBe('1');
  await runner.undo(false);
  expect(await before('a')).toBeUndefined();
  await runner.apply(await newPlan(bot, await bot.load(), [], { remove: ['a'] }), false);
  await put(packageOf('a', '4'));
  expect(await before('a')).toBeUndefined(); // it was not there in between
});
