import { api, unwrap } from '../lib/api';
import { ApiError } from '../lib/errors';
import { i18n, t } from '../lib/i18n.svelte';
import { installed } from '../lib/installed.svelte';
import { session } from '../lib/session.svelte';
import { addressOf, blockedByBrowser, hostOf } from './address';
import { AstrBot } from './astrbot';
import { BotFault } from './calls';
import { clashesOf, drift, newPlan, PlanError, Runner, StepError, unfinished, type Clash, type Drifted, type Installed, type Package, type Plan, type State } from './engine';
import { versionBefore, withHold, type Hold } from './upkeep';
import { alone, BrowserJournal, forgetBot, listBots, type Kept } from './journal';
import { sampleAddress, SampleBot } from './sample';
import type { components } from '../lib/api.gen';

type Brought = components['schemas']['BotObjects'];

type Also = NonNullable<Installed['with']>;

/** What is to be done with a bot: items that come in their latest version, items that go, and one that goes back to its version before. */
export interface Task {
  add: { id: string; title: string; locale?: string }[];
  remove: string[];
  back?: { id: string; risk: string };
}

/** What a plan brings. */
interface Coming extends Package {
  risk: string;
  flags: string[];
}

/** The keys of bots by address. They live as long as the page does and are kept nowhere. */
const keys = new Map<string, string>();

export type Stage = 'where' | 'interrupted' | 'plan' | 'done';

/** Work on one bot, from its address to the end of a plan. */
export class BotWork {
  stage = $state<Stage>('where');
  busy = $state(false);
  bots = $state.raw<Kept[]>([]);
  address = $state('');
  name = $state('');
  key = $state('');
  /** Whether the address was typed in a form that names none. */
  badAddress = $state(false);
  state = $state.raw<Kept>();
  plan = $state.raw<Plan>();
  coming = $state.raw<Coming[]>([]);
  /** Items of an update of several that are not wanted now. */
  leftOut = $state.raw<ReadonlySet<string>>(new Set());
  /** Items of an update of several that cannot come with the others. */
  clashes = $state.raw<Clash[]>([]);
  replace = $state(false);
  /** Whether models and settings of packs are taken, too; undefined is as it was with the version in the bot. */
  also = $state<boolean>();
  /** Scopes that the key lacks for these. */
  lacking = $state.raw<('provider' | 'config')[]>([]);
  /** Something else is wanted than what the plan at hand does. */
  stale = $state(false);
  failure = $state.raw<unknown>();
  progress = $state.raw<{ done: number; all: number }>();
  drifted = $state.raw<Drifted[]>();

  #asked = 0;
  #running: Promise<unknown> = Promise.resolve();
  #bot?: AstrBot | SampleBot;
  #journal?: BrowserJournal;

  constructor(private readonly task: Task = { add: [], remove: [] }) {}

  get isSample(): boolean {
    return this.address === sampleAddress;
  }

  /** Whether it can begin without being asked for a key. */
  get hasKey(): boolean {
    return this.isSample || keys.has(this.address);
  }

  chooseSample(): void {
    this.choose({ address: sampleAddress, name: t('bot.sample') });
  }

  async refresh(): Promise<void> {
    this.bots = await listBots(session.userId);
  }

  choose({ address, name }: { address: string; name: string }): void {
    Object.assign(this, { address, name, key: keys.get(address) ?? '', failure: undefined, badAddress: false });
  }

  /** Reaches the bot and reads its journal. */
  async connect(): Promise<void> {
    if (this.isSample) {
      this.badAddress = false;
      await this.#open(new SampleBot(session.userId), t('bot.sample'));
      return;
    }
    const address = addressOf(this.address);
    if (!(this.badAddress = !address) && address) {
      this.address = address;
      if (blockedByBrowser(address, location.protocol)) throw new BotFault('mixed');
      const key = this.key.trim() || keys.get(address) || '';
      if (!key) throw new BotFault('no_key');
      const bot = new AstrBot(address, key);
      await bot.check();
      keys.set(address, key);
      await this.#open(bot, this.name.trim() || hostOf(address));
    }
  }

  async #open(bot: AstrBot | SampleBot, name: string): Promise<void> {
    this.#bot = bot;
    this.#journal = new BrowserJournal(session.userId, this.address, name);
    this.state = await this.#journal.load();
  }

  /** Runs a step; what fails is shown. Tells whether all went well. */
  run(work: () => Promise<void>): Promise<boolean> {
    return this.busy ? Promise.resolve(false) : (this.#running = this.#run(work));
  }

  async #run(work: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    this.failure = undefined;
    try {
      await work();
      return true;
    } catch (error) {
      this.failure = error;
      return false;
    } finally {
      this.busy = false;
      this.progress = undefined;
    }
  }

  begin = () =>
    this.run(async () => {
      await this.connect();
      if (this.badAddress) return;
      if (unfinished(this.state!)) await this.#alone(async () => void (this.stage = 'interrupted'));
      else await this.#makePlan();
    });

  /** Plans again with what is wanted now, once more when that changed meanwhile. Until it is done the plan at hand is stale. */
  replan = async (): Promise<void> => {
    this.stale = true;
    this.#asked++;
    if (this.busy) return;
    for (let seen = 0; seen !== this.#asked; ) {
      seen = this.#asked;
      if (!(await this.run(() => this.#makePlan()))) return;
    }
    this.stale = false;
  };

  /** Takes an item into the plan or leaves it out. */
  want(id: string, wanted: boolean): void {
    const out = new Set(this.leftOut);
    if (wanted) out.delete(id);
    else out.add(id);
    this.leftOut = out;
    void this.replan();
  }

  /** Whether an item is in the plan: wanted, and no other one stands in its way. */
  comes = (id: string): boolean => !this.leftOut.has(id) && !this.clashes.some((one) => one.id === id);

  /** Whether models and settings of an item are wanted. */
  takesAlso = (id: string): boolean => this.also ?? (this.state?.items.find((item) => item.id === id)?.with?.length ?? 0) > 0;

  /** What of models and settings can come, by what the key may do. */
  async #allowed(): Promise<Also> {
    this.lacking = [];
    if (!this.task.add.some(({ id }) => this.takesAlso(id))) return [];
    const allowed: Also = [];
    for (const [scope, one] of [['provider', 'providers'], ['config', 'config']] as const) {
      if (await this.#bot!.may(scope)) allowed.push(one);
      else this.lacking = [...this.lacking, scope];
    }
    return allowed;
  }

  async #makePlan(): Promise<void> {
    const coming: Coming[] = [];
    this.state = await this.#journal!.load();
    const allowed = await this.#allowed();
    for (const { id, title, locale } of this.task.add) {
      const also = this.takesAlso(id) ? allowed : [];
      const query = { item_id: id, locale: locale || i18n.locale, with: also.length > 1 ? 'all' as const : also[0] ?? 'none' as const };
      const found = this.coming.find((one) => one.id === id && (one.kind === 'template' || String(one.with) === String(also))) ?? (await session.run('market.export', () => unwrap(api.GET('/api/market/bot-objects', { params: { query } })).then((one) => comingOf(one, title, also))));
      if (!found) return;
      coming.push(found);
    }
    const { back } = this.task;
    const before = back && versionBefore(this.state, back.id);
    if (before) coming.push({ ...before, risk: back.risk, flags: [] });
    this.coming = coming;
    const wanted = coming.filter(({ id }) => !this.leftOut.has(id)).map(packageOf);
    this.clashes = this.task.add.length > 1 ? clashesOf(this.state, wanted) : [];
    this.plan = await newPlan(this.#bot!, this.state, wanted.filter(({ id }) => this.comes(id)), { replace: this.replace, remove: this.task.remove });
    this.stage = 'plan';
  }

  apply = (agreed: boolean) => this.#carry((runner) => runner.apply(this.plan!, agreed));
  resume = () => this.#carry((runner) => runner.resume());
  undo = (force: boolean) => this.#carry((runner) => runner.undo(force));

  /** Does something to the bot and tells the server what the member has then. */
  #carry(work: (runner: Runner) => Promise<void>): Promise<boolean> {
    return this.run(async () => {
      const before = this.state!.items;
      const runner = new Runner(this.#bot!, this.#journal!, undefined, (done, all) => (this.progress = { done, all }));
      await this.#alone(async () => {
        try {
          await work(runner);
        } finally {
          this.state = await this.#journal!.load();
          this.drifted = undefined;
        }
      });
      this.stage = 'done';
      await this.#tell(before);
      await this.refresh();
    });
  }

  #alone = (work: () => Promise<void>): Promise<void> => alone(session.userId, this.address, work);

  /** What came and went is told to the server; what cannot be told now is told with the next plan. */
  async #tell(before: readonly Installed[]): Promise<void> {
    if (this.isSample) return; // practice is no installation
    const state = this.state!;
    const came = state.items.filter((item) => before.find(({ id }) => id === item.id)?.version !== item.version).map(({ id }) => ({ item: id, gone: false }));
    const others = (await listBots(session.userId)).filter(({ address }) => address !== state.address && address !== sampleAddress).flatMap(({ items }) => items.map(({ id }) => id));
    const went = before.filter(({ id }) => !state.items.some((item) => item.id === id) && !others.includes(id)).map(({ id }) => ({ item: id, gone: true }));
    const news = [...came, ...went];
    const waiting = [...state.untold.filter(({ item }) => !news.some((one) => one.item === item)), ...news];
    const untold: Kept['untold'] = [];
    for (const one of waiting) {
      try {
        await tellOne(one.item, one.gone);
      } catch (error) {
        // An item that the server no longer knows has nothing to be told about.
        if (!(error instanceof ApiError && error.status === 404)) untold.push(one);
      }
    }
    if (untold.length === 0 && state.untold.length === 0) return installed.refresh();
    await this.#journal!.save({ ...state, untold });
    this.state = await this.#journal!.load();
    await installed.refresh();
  }

  look = () =>
    this.run(async () => {
      await this.connect();
      this.drifted = await drift(this.#bot!, this.state!);
    });

  /** Sets how updates of an item are offered, when what is under way has ended. The bot is not asked for that. */
  async hold(hold: Hold): Promise<void> {
    while (this.busy) await this.#running;
    await this.run(async () => {
      const journal = new BrowserJournal(session.userId, this.address, this.name);
      await journal.save(withHold(await journal.load(), hold));
    });
  }

  /** Reaches the bot once for what stands on its row. */
  reach = () => this.run(() => this.connect());

  async forget(): Promise<void> {
    await forgetBot(session.userId, this.address);
    if (this.isSample) new SampleBot(session.userId).forget();
    keys.delete(this.address);
  }
}

async function tellOne(id: string, gone: boolean): Promise<void> {
  if (gone) await unwrap(api.POST('/api/member/installations/uninstall', { body: { template_id: id } }));
  else await unwrap(api.POST('/api/templates/install', { body: { template_id: id, install_options: { preflight: false, force_reinstall: true } } }));
}

function comingOf({ item_id: id, kind, version, sha256, locale, reach, objects, left, risk_level: risk, warning_flags: flags }: Brought, title: string, also: Also): Coming {
  return { id, with: kind === 'template' ? [] : also, kind, title, version, sha256, locale, reach, at: '', objects, left, risk, flags };
}

/** What the journal keeps of it. */
const packageOf = ({ risk: _, flags: __, ...kept }: Coming): Package => kept;

/** Whether a plan stopped on the way, so that it can be continued or taken back. */
export const stoppedOnTheWay = (error: unknown, state: State | undefined): boolean =>
  error instanceof StepError || (error instanceof PlanError && error.problem === 'unfinished') || (state !== undefined && error !== undefined && unfinished(state) !== undefined);
