import type { Reach } from '../lib/types';
import type { Hold } from './upkeep';

/**
 * Plans against a running bot, as `stoa apply` makes them (internal/market/apply): a plan says what is made, changed,
 * removed and kept; it is carried out step by step with the journal first; the last one can be taken back exactly.
 * sequences.test.ts holds the two against each other.
 */
/** A `config` is one setting, its id a dotted path. */
export type Kind = 'skill' | 'mcp_server' | 'provider' | 'persona' | 'config';
export interface Key {
  kind: Kind;
  id: string;
}
/** An object as canonical JSON; null is no object. */
export type Value = string | null;
export interface Loss {
  path: string;
  reason: string;
}

export interface Installed {
  id: string;
  kind: 'template' | 'profile_pack';
  title: string;
  version: string;
  sha256: string;
  locale: string;
  reach: Reach;
  at: string;
  /** What was taken beyond personas, skills and MCP servers. */
  with?: ('providers' | 'config')[];
}
export interface Package extends Installed {
  objects: (Key & { value: string })[];
  left: Loss[];
}
/** An object that an item brought: what was confirmed last, and what stood there before when that was replaced. */
export interface Managed extends Key {
  item: string;
  value: Value;
  original: Value;
}
export type Action = 'make' | 'change' | 'remove' | 'keep';
export interface Step extends Key {
  item: string;
  action: Action;
  /** The item no longer has it. */
  leaves: boolean;
  /** Of keep: same, foreign or edited; of change and remove: foreign or edited when that is replaced. */
  why?: 'same' | 'foreign' | 'edited';
  before: Value;
  after: Value;
  /** A step that was begun may have reached the bot or not. */
  status?: 'begun' | 'done';
}
interface Known {
  items: Installed[];
  objects: Managed[];
}
export interface Operation extends Known {
  at: string;
  steps: Step[];
  finished: boolean;
  undoing: boolean;
  before: Known;
}
export interface State extends Known {
  log: Operation[];
  holds?: Hold[];
}
export interface Plan {
  items: Installed[];
  remove: string[];
  steps: Step[];
  /** What the bot will reach that it does not reach now, such as "host api.example.org". */
  gains: string[];
  left: Loss[];
}

export interface Target {
  read(keys: readonly Key[]): Promise<Map<string, string>>;
  write(key: Key, before: Value, after: Value): Promise<void>;
}
export interface Journal {
  load(): Promise<State>;
  save(state: State): Promise<void>;
}

export type Problem = 'consent' | 'unfinished' | 'taken' | 'changed' | 'not_kept' | 'nothing';

/** A plan that cannot be made or goes no further. `keys` are the objects that it is about. */
export class PlanError extends Error {
  constructor(
    readonly problem: Problem,
    readonly keys: readonly Key[] = [],
  ) {
    super(problem);
  }
}

/** The step at which a plan stopped. What was done before it stays done and is in the journal. */
export class StepError extends Error {
  constructor(
    readonly step: Step,
    readonly done: number,
    readonly all: number,
    override readonly cause: unknown,
  ) {
    super('step');
  }
}

const order: readonly Kind[] = ['skill', 'mcp_server', 'provider', 'persona', 'config'];
/** How many plans can be taken back one after the other. */
const maxLog = 20;

export const emptyState = (): State => ({ items: [], objects: [], log: [] });
export const nameOf = ({ kind, id }: Key): string => `${kind} ${id}`;
/** MCP servers and models of the member's own may hold secrets, which would then stand in the journal: they are never replaced. */
const replaceable = (kind: Kind) => kind !== 'mcp_server' && kind !== 'provider';
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const compareKeys = (a: Key, b: Key) => order.indexOf(a.kind) - order.indexOf(b.kind) || byText(a.id, b.id);

export function unfinished(state: State): Operation | undefined {
  const last = state.log.at(-1);
  return last && (!last.finished || last.undoing) ? last : undefined;
}

export const changes = (plan: Plan): boolean => plan.items.length > 0 || plan.remove.length > 0 || plan.steps.some((step) => step.action !== 'keep');

/** What an item reaches and the version of it in the bot does not, such as "host api.example.org". */
export const gainsOf = (state: State, item: Pick<Installed, 'id' | 'reach'>): string[] => beyond(item.reach, state.items.find(({ id }) => id === item.id)?.reach);

/** What one reaches and the other does not. */
function beyond(now: Reach, was: Reach | undefined): string[] {
  const kinds = [
    ['capability', now.capabilities, was?.capabilities],
    ['host', now.hosts, was?.hosts],
    ['plugin', now.plugins, was?.plugins],
    ['variable', now.environment, was?.environment],
  ] as const;
  const gained = kinds.flatMap(([name, all, known]) => all.filter((what) => !known?.includes(what)).map((what) => `${name} ${what}`));
  return now.cut && !was?.cut ? [...gained, 'more than can be listed'] : gained;
}

/** An item that cannot come in a plan, because another one brings or has an object of that name. */
export interface Clash {
  id: string;
  key: Key;
  by: string;
}

/** Which of several packages have to stay out of a plan for the others to come: both of two that bring the same name. */
export function clashesOf(state: State, packages: readonly Package[]): Clash[] {
  const clashes: Clash[] = [];
  for (;;) {
    const coming = packages.filter(({ id }) => !clashes.some((one) => one.id === id));
    // One that stays out keeps the names that it has in the bot.
    const taken = [
      ...coming.flatMap(({ id, objects }) => objects.map((key) => ({ name: nameOf(key), by: id }))),
      ...state.objects.filter(({ item }) => !coming.some(({ id }) => id === item)).map((one) => ({ name: nameOf(one), by: one.item })),
    ];
    const found = coming.flatMap(({ id, objects }) => {
      const first = objects.flatMap((key) => taken.filter(({ name, by }) => by !== id && name === nameOf(key)).map(({ by }) => ({ id, key: { kind: key.kind, id: key.id }, by })))[0];
      return first ? [first] : [];
    });
    if (found.length === 0) return clashes;
    clashes.push(...found);
  }
}

/** Reads the bot and says what applying the packages would do. Nothing is written. */
export async function newPlan(target: Target, state: State, packages: readonly Package[], { replace = false, remove = [] as string[] } = {}): Promise<Plan> {
  if (unfinished(state)) throw new PlanError('unfinished');
  const wanted = new Map<string, string>();
  const owner = new Map<string, string>();
  const keys: Key[] = [];
  const gone = new Set(remove);
  const plan: Plan = { items: [], remove: [...remove], steps: [], gains: [], left: [] };
  for (const { objects, left, ...item } of packages) {
    gone.add(item.id);
    for (const { kind, id, value } of objects) {
      const name = nameOf({ kind, id });
      if (owner.has(name)) throw new PlanError('taken', [{ kind, id }]);
      wanted.set(name, value);
      owner.set(name, item.id);
      keys.push({ kind, id });
    }
    const known = state.items.find(({ id }) => id === item.id);
    if (known?.version !== item.version || known.sha256 !== item.sha256 || String(known.with ?? '') !== String(item.with ?? '')) plan.items.push(item);
    plan.gains.push(...gainsOf(state, item));
    plan.left.push(...left);
  }
  const managed = new Map(state.objects.map((one) => [nameOf(one), one]));
  for (const key of keys) {
    const by = managed.get(nameOf(key))?.item;
    if (by !== undefined && !gone.has(by)) throw new PlanError('taken', [key]);
  }
  for (const { kind, id, item } of state.objects) {
    if (!gone.has(item) || wanted.has(nameOf({ kind, id }))) continue;
    keys.push({ kind, id });
    owner.set(nameOf({ kind, id }), item);
  }
  keys.sort(compareKeys);
  const now = await target.read(keys);
  const leaving: Step[] = [];
  for (const key of keys) {
    const name = nameOf(key);
    const after = wanted.get(name) ?? null;
    const step = decide(key, owner.get(name)!, after, now.get(name) ?? null, managed.get(name), replace);
    if (after === null) leaving.unshift(step); // what refers goes before what it refers to
    else plan.steps.push(step);
  }
  plan.steps.push(...leaving);
  plan.gains = [...new Set(plan.gains)].sort(byText);
  return plan;
}

/** What becomes of one object. after is null when the item that brought it no longer has it. */
function decide(key: Key, item: string, after: Value, now: Value, known: Managed | undefined, replace: boolean): Step {
  const step: Step = { ...key, item, action: 'change', leaves: after === null, before: now, after: after ?? known?.original ?? null };
  // Every setting is there already, and settings come into a plan only when they are asked for.
  const theirs = known ? known.value !== now : now !== null && key.kind !== 'config';
  if (theirs) step.why = known ? 'edited' : 'foreign';
  if (now === step.after) return { ...step, action: 'keep', why: 'same' };
  if (theirs && (!replace || !replaceable(key.kind))) return { ...step, action: 'keep', before: null, after: null }; // no value of theirs in the journal
  return { ...step, action: step.after === null ? 'remove' : now === null ? 'make' : 'change' };
}

/** What is known of the bot once the plan was carried out. */
function outcome(plan: Plan, state: State): Known {
  const gone = new Set([...plan.remove, ...plan.items.map(({ id }) => id)]);
  const items = [...state.items.filter(({ id }) => !gone.has(id)), ...plan.items].sort((a, b) => byText(a.id, b.id));
  const managed = new Map(state.objects.map((one) => [nameOf(one), one]));
  const touched = new Set(plan.steps.map(nameOf));
  const objects = state.objects.filter((one) => !touched.has(nameOf(one)));
  for (const { kind, id, item, action, why, leaves, before, after } of plan.steps) {
    const known = managed.get(nameOf({ kind, id }));
    const next: Managed = { kind, id, item, value: after, original: known ? known.original : before };
    if (action === 'keep' && why === 'same') {
      if (!known || leaves) continue; // theirs already, or back to what it was
    } else if (action === 'keep' && known && why === 'edited' && !leaves) {
      next.value = known.value; // still known as changed by hand
    } else if (action === 'keep' || action === 'remove' || leaves) continue;
    objects.push(next);
  }
  return { items, objects: objects.sort(compareKeys) };
}

/** Carries plans out on one bot. */
export class Runner {
  constructor(
    private readonly target: Target,
    private readonly journal: Journal,
    private readonly now: () => Date = () => new Date(),
    /** Told how far it is. */
    private readonly progress: (done: number, all: number) => void = () => {},
  ) {}

  /** agreed is the member's yes to plan.gains. */
  async apply(plan: Plan, agreed: boolean): Promise<void> {
    if (plan.gains.length > 0 && !agreed) throw new PlanError('consent');
    if (!changes(plan)) return;
    const state = await this.journal.load();
    if (unfinished(state)) throw new PlanError('unfinished');
    const at = this.now().toISOString();
    const known = outcome({ ...plan, items: plan.items.map((item) => ({ ...item, at })) }, state);
    const steps = plan.steps.filter(({ action }) => action !== 'keep').map((step) => ({ ...step }));
    const operation: Operation = { at, steps, finished: false, undoing: false, ...known, before: { items: state.items, objects: state.objects } };
    await this.#forward({ ...state, log: [...state.log, operation].slice(-maxLog) });
  }

  /** Carries on with a plan that was interrupted. */
  async resume(): Promise<void> {
    const state = await this.journal.load();
    const last = unfinished(state);
    if (!last) throw new PlanError('nothing');
    await (last.undoing ? this.undo(false) : this.#forward(state));
  }

  async #forward(state: State): Promise<void> {
    const last = state.log.at(-1)!;
    for (const [index, step] of last.steps.entries()) {
      if (step.status === 'done') continue;
      step.status = 'begun';
      await this.journal.save(state); // before the bot is touched
      this.progress(index, last.steps.length);
      await this.#try(step, index, last.steps.length, () => this.#bring(step, step.before, step.after));
      step.status = 'done';
    }
    last.finished = true;
    await this.journal.save({ ...state, items: last.items, objects: last.objects });
  }

  async #try(step: Step, done: number, all: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      throw new StepError(step, done, all, cause);
    }
  }

  /** Takes an object from one value to another and confirms it by reading it back. It may be there already. */
  async #bring(key: Key, from: Value, to: Value): Promise<void> {
    const now = await this.#read(key);
    if (now === to) return;
    if (now !== from) throw new PlanError('changed', [key]);
    await this.target.write(key, from, to);
    if ((await this.#read(key)) !== to) throw new PlanError('not_kept', [key]);
  }

  async #read(key: Key): Promise<Value> {
    return (await this.target.read([key])).get(nameOf(key)) ?? null;
  }

  /**
   * Takes the last plan back, also one that was interrupted. What was changed by hand since stops it before anything is
   * touched, unless force says that it is to be lost.
   */
  async undo(force: boolean): Promise<void> {
    const state = await this.journal.load();
    const last = state.log.at(-1);
    if (!last) throw new PlanError('nothing');
    const steps = last.steps.filter(({ status }) => status !== undefined);
    const now = await this.target.read(steps);
    const valueOf = (step: Step) => now.get(nameOf(step)) ?? null;
    const edited = steps.filter((step) => valueOf(step) !== step.before && valueOf(step) !== step.after);
    if (edited.length > 0 && !force) throw new PlanError('changed', edited);
    last.undoing = true;
    await this.journal.save(state);
    for (const [index, step] of steps.reverse().entries()) {
      this.progress(index, steps.length);
      const value = valueOf(step);
      if (value !== step.before) await this.#try(step, index, steps.length, () => this.#bring(step, value, step.before));
    }
    await this.journal.save({ ...state, items: last.before.items, objects: last.before.objects, log: state.log.slice(0, -1) });
  }
}

export interface Drifted extends Key {
  item: string;
  gone: boolean;
}

/** Reads the bot and names what was changed by hand since it was applied. */
export async function drift(target: Target, state: State): Promise<Drifted[]> {
  const now = await target.read(state.objects);
  return state.objects.flatMap(({ kind, id, item, value }) => {
    const there = now.get(nameOf({ kind, id })) ?? null;
    return there === value ? [] : [{ kind, id, item, gone: there === null }];
  });
}
