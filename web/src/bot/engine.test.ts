import { expect, test } from 'vitest';
import { canonical } from './canonical';
import { clashesOf, drift, emptyState, nameOf, newPlan, PlanError, Runner, StepError, unfinished, type Journal, type Key, type Kind, type Package, type Plan, type State, type Target, type Value } from './engine';
import sequences from './sequences.json';

class Away extends Error {}

class MemoryBot implements Target {
  objects = new Map<string, string>();
  /** What becomes of the next write: it fails before or after it happened, or is lost without a word. */
  fate: () => 'well' | 'before' | 'after' | 'lost' = () => 'well';
  async read(keys: readonly Key[]) {
    return new Map(keys.map(nameOf).flatMap((name) => (this.objects.has(name) ? [[name, this.objects.get(name)!] as const] : [])));
  }
  async write(key: Key, before: Value, after: Value) {
    const name = nameOf(key);
    if ((this.objects.get(name) ?? null) !== before) throw new Error(`written over what was not read: ${name}`);
    const fate = this.fate();
    if (fate === 'before') throw new Away();
    if (fate !== 'lost') this.set(name, after);
    if (fate === 'after') throw new Away();
  }
  set(name: string, value: Value) {
    if (value === null) this.objects.delete(name);
    else this.objects.set(name, value);
  }
}

class MemoryJournal implements Journal {
  text = JSON.stringify(emptyState());
  load = async () => JSON.parse(this.text) as State;
  save = async (state: State) => void (this.text = JSON.stringify(state));
}

const order = ['skill', 'mcp_server', 'provider', 'persona', 'config'];
const keyOf = (name: string): Key => ({ kind: name.split(' ')[0] as Kind, id: name.split(' ')[1]! });
const sorted = (names: Iterable<string>) => [...names].sort((a, b) => order.indexOf(a.split(' ')[0]!) - order.indexOf(b.split(' ')[0]!) || (a < b ? -1 : 1));

interface Move {
  do: string;
  items?: { id: string; version: string; hosts: string[]; objects: string[][] }[];
  remove?: string[];
  replace?: boolean;
  agreed?: boolean;
  force?: boolean;
  fail?: number;
  lost?: boolean;
  key?: string;
  value?: string;
  outcome: string;
}

const packageOf = (item: NonNullable<Move['items']>[number]): Package => ({
  id: item.id, kind: 'profile_pack', title: '', version: item.version, sha256: '', locale: '', at: '', left: [],
  reach: { capabilities: [], hosts: item.hosts, plugins: [], environment: [] },
  objects: item.objects.map(([name, value]) => ({ ...keyOf(name!), value: value! })),
});

function problemOf(error: unknown): string {
  if (error === undefined) return '';
  if (error instanceof StepError) return `step ${error.step.kind} ${error.step.id} ${error.done}/${error.all} ${problemOf(error.cause)}`;
  if (error instanceof PlanError) return error.problem === 'changed' ? `changed ${error.keys.length}` : error.problem;
  if (error instanceof Away) return 'away';
  throw error;
}

async function play(move: Move, bot: MemoryBot, journal: MemoryJournal): Promise<string> {
  const runner = new Runner(bot, journal, () => new Date(1_800_000_000_000));
  const state = await journal.load();
  let left = move.fail ?? 0;
  bot.fate = () => (--left === 0 ? (move.lost ? 'after' : 'before') : 'well');
  let said = '';
  let failed: unknown;
  try {
    if (move.do === 'hand') bot.set(move.key!, move.value ?? null);
    else if (move.do === 'drift') said = (await drift(bot, state)).map(({ kind, id, gone }) => `${kind} ${id} ${gone};`).join('');
    else if (move.do === 'undo') await runner.undo(move.force ?? false);
    else if (move.do === 'continue') await runner.resume();
    else {
      const plan = await newPlan(bot, state, (move.items ?? []).map(packageOf), { replace: move.replace, remove: move.remove });
      said = plan.steps.map((step) => `${step.action} ${step.kind} ${step.id} ${step.why ?? ''};`).join('') + plan.gains.join();
      await runner.apply(plan, move.agreed ?? false);
    }
  } catch (error) {
    failed = error;
  }
  const after = await journal.load();
  const known = [...after.items.map((item) => `${item.id}@${item.version}`), ...after.objects.map((one) => `${nameOf(one)} of ${one.item} ${one.value ?? '-'}<${one.original ?? '-'}`)];
  return [said, problemOf(failed), sorted(bot.objects.keys()).map((name) => `${name}=${bot.objects.get(name)}`).join(';'), `${known.join(';')} (${after.log.length}, ${unfinished(after) !== undefined})`].join(' | ');
}

test('does in random sequences what `stoa apply` does', async () => {
  for (const [seed, moves] of (sequences as Move[][]).entries()) {
    const bot = new MemoryBot();
    const journal = new MemoryJournal();
    for (const [at, move] of moves.entries()) expect(await play(move, bot, journal), `sequence ${seed}, move ${at}`).toBe(move.outcome);
  }
});

/** Numbers from a seed (mulberry32). */
function random(seed: number) {
  return (below: number) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test('after faults and hand changes every plan can be taken back to the byte, and nobody else’s objects are touched', async () => {
  const names = order.flatMap((kind) => [`${kind} a`, `${kind} b`, `${kind} c`]);
  for (let seed = 1; seed <= 2000; seed++) {
    const r = random(seed);
    const bot = new MemoryBot();
    const journal = new MemoryJournal();
    const runner = new Runner(bot, journal);
    const value = () => canonical({ v: r(4) });
    for (let n = r(4); n > 0; n--) bot.set(names[r(names.length)]!, value());
    const past: Map<string, string>[] = [];
    for (let round = 0; round < 4; round++) {
      const state = await journal.load();
      const foreign = new Map([...bot.objects].filter(([name]) => !name.startsWith('config ') && !state.objects.some((one) => nameOf(one) === name)));
      const objects = names.filter(() => r(3) === 0).map((name) => [name, value()]);
      let plan: Plan;
      try {
        plan = await newPlan(bot, state, [packageOf({ id: ['one', 'two'][r(2)]!, version: String(r(9)), hosts: [], objects })]);
      } catch (error) {
        expect((error as PlanError).problem, `seed ${seed}`).toBe('taken');
        continue;
      }
      past.push(new Map(bot.objects));
      bot.fate = () => (['before', 'after', 'lost', 'well', 'well', 'well', 'well'] as const)[r(7)]!;
      let error = await runner.apply(plan, true).catch((found: unknown) => found);
      while (error) error = await (r(2) ? runner.resume() : Promise.reject(error)).catch((found: unknown) => (r(3) ? found : undefined));
      for (const [name, was] of foreign) expect(bot.objects.get(name), `seed ${seed}: ${name} is not Stoa’s`).toBe(was);
      if (unfinished(await journal.load())) break;
      if ((await journal.load()).log.length < past.length) past.pop(); // a plan that changed nothing
    }
    while (past.length > 0) {
      bot.fate = () => (r(4) === 0 ? 'after' : 'well');
      while (await runner.undo(false).then(() => false, () => true));
      expect([...bot.objects].sort(), `seed ${seed}`).toEqual([...past.pop()!].sort());
    }
    expect(await journal.load()).toEqual(emptyState());
  }
}, 60_000);

test('what widens needs a yes', async () => {
  const bot = new MemoryBot();
  const journal = new MemoryJournal();
  const runner = new Runner(bot, journal);
  const plan = await newPlan(bot, await journal.load(), [packageOf({ id: 'one', version: '1', hosts: ['a.example'], objects: [['persona a', '{}']] })]);
  expect(plan.gains).toEqual(['host a.example']);
  await expect(runner.apply(plan, false)).rejects.toMatchObject({ problem: 'consent' });
  expect(bot.objects.size).toBe(0);
  await runner.apply(plan, true);
  expect((await newPlan(bot, await journal.load(), [packageOf({ id: 'one', version: '2', hosts: ['a.example'], objects: [['persona a', '{"v":2}']] })])).gains).toEqual([]);
});

test('of several updates those that clash on a name stay out, and the others come', async () => {
  const bot = new MemoryBot();
  const journal = new MemoryJournal();
  const item = (id: string, version: string, ...names: string[]) => packageOf({ id, version, hosts: [], objects: names.map((name) => [`persona ${name}`, `${id} ${version} ${name}`]) });
  const first = [item('a', '1', 'ann'), item('b', '1', 'bea'), item('c', '1', 'cia'), item('d', '1', 'dan'), item('e', '1', 'eva')];
  const runner = new Runner(bot, journal);
  await runner.apply(await newPlan(bot, await journal.load(), first), true);
  // a and b both bring a new name; c wants one that b keeps when it stays out; d takes over what e gives up.
  const next = [item('a', '2', 'ann', 'new'), item('b', '2', 'new'), item('c', '2', 'cia', 'bea'), item('d', '2', 'dan', 'eva'), item('e', '2', 'egon')];
  const state = await journal.load();
  await expect(newPlan(bot, state, next)).rejects.toThrow(PlanError);
  const clashes = clashesOf(state, next);
  expect(clashes.map(({ id, key, by }) => `${id} ${key.id} ${by}`)).toEqual(['a new b', 'b new a', 'c bea b']);
  await runner.apply(await newPlan(bot, state, next.filter(({ id }) => !clashes.some((one) => one.id === id))), true);
  expect((await journal.load()).items.map(({ id, version }) => id + version)).toEqual(['a1', 'b1', 'c1', 'd2', 'e2']);
  expect([bot.objects.get('persona eva'), bot.objects.get('persona bea'), bot.objects.has('persona new')]).toEqual(['d 2 eva', 'b 1 bea', false]);
  // Without b the two that it stood in the way of can come: not c, whose name b still has.
  expect(clashesOf(state, next.filter(({ id }) => id !== 'b')).map(({ id }) => id)).toEqual(['c']);
});
