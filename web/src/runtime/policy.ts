import { ApiError } from '../lib/errors';
import { newKey } from '../publish/send';

/**
 * How this page behaves when the server does not: the retry keys, the degradation gate and the cooldown of the contract,
 * as the Go client keeps them. Pure: what is asked, the clock and the pauses are given.
 */

export interface Policy {
  /** Of one attempt, in milliseconds. */
  timeout: number;
  /** Beyond the first attempt. */
  retries: number;
  retryable: boolean;
}

const runbook: Policy = { timeout: 12_000, retries: 2, retryable: true };

/** The keys of the contract. */
export const policies = {
  runtime_runbook_get: runbook,
  runtime_runbook_verify_get: runbook,
  runtime_runbook_history_get: runbook,
  runtime_runbook_history_checks_get: runbook,
  runtime_runbook_action_queue_get: runbook,
  runtime_runbook_remediation_history_get: runbook,
} satisfies Record<string, Policy>;
export type PolicyKey = keyof typeof policies;

/** What one attempt is sent with. */
export interface Attempt {
  headers: { 'X-Request-Id': string };
  signal: AbortSignal;
}

/** Something that passes: the browser's timers, or a clock of a test. Answers how to call it off. */
export type After = (ms: number, run: () => void) => () => void;

export const timers: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

const firstBackoff = 250;
const again = [429, 502, 503, 504];

/** How long to wait after a failure, in milliseconds; undefined when another attempt cannot help. */
export function pauseAfter(error: ApiError, attempt: number): number | undefined {
  const pause = firstBackoff * 2 ** attempt;
  if (error.code === 'network') return pause;
  return again.includes(error.status) ? Math.max(error.retryAfter * 1000, pause) : undefined;
}

/**
 * Asks by a policy. Every attempt carries the same request id, so that a verification which arrived although its answer
 * did not is kept once.
 */
export async function governed<T>(key: PolicyKey, ask: (attempt: Attempt) => Promise<T>, after: After = timers, id: string = newKey()): Promise<T> {
  const { timeout, retries, retryable } = policies[key];
  for (let attempt = 0; ; attempt++) {
    try {
      return await within(timeout, id, ask, after);
    } catch (cause) {
      if (!(cause instanceof ApiError) || !retryable || attempt >= retries) throw cause;
      const pause = pauseAfter(cause, attempt);
      if (pause === undefined) throw cause;
      await new Promise<void>((done) => after(pause, done));
    }
  }
}

/** One attempt. Running out of time is to the caller as if the server could not be reached. */
function within<T>(timeout: number, id: string, ask: (attempt: Attempt) => Promise<T>, after: After): Promise<T> {
  const control = new AbortController();
  return new Promise<T>((done, fail) => {
    const off = after(timeout, () => {
      control.abort();
      fail(new ApiError({ code: 'network', status: 0, requestId: id }));
    });
    ask({ headers: { 'X-Request-Id': id }, signal: control.signal }).then(done, fail).finally(off);
  });
}

/** How many degraded refreshes in a row close the gate and call for remediation. */
const degradedLimit = 3;

/** How long after an attempt no other is made, in milliseconds. */
export const cooldown = 120_000;

/** The degradation gate: it warns from the third degraded refresh in a row on, until one goes well. */
export class Gate {
  degraded: number;

  constructor(degraded = 0) {
    this.degraded = degraded;
  }

  refreshed(degraded: boolean): void {
    this.degraded = degraded ? this.degraded + 1 : 0;
  }

  get state(): 'ok' | 'warn' {
    return this.degraded >= degradedLimit ? 'warn' : 'ok';
  }
}

export interface Remediation {
  status: 'idle' | 'attempted' | 'applied';
  /** Why nothing was tried: below_threshold, or cooldown_active:<n>s with the seconds that are left. */
  skipped: string;
  /** That the focus went to. */
  checkId: string;
  failed: boolean;
}

/** What the server is told of an attempt. */
export interface RemediationEvent {
  source: 'learning_workbench_refresh';
  status: 'applied' | 'not_applied' | 'cooldown' | 'error';
  triggerReason: string;
  checkId: string;
  detail: string;
  degradedStreakCount: number;
}

export interface Remedies {
  /** Verifies what the server recommends to look at first. */
  focus: () => Promise<{ autoFocusApplied: boolean; effectiveCheckId: string; autoFocusReason: string }>;
  record: (event: RemediationEvent) => Promise<unknown>;
  now: () => number;
}

/** Looks at what the server recommends once refreshes keep being degraded, at most once in 120 s. */
export class AutoRemediation {
  /** When the last attempt was made, in milliseconds. */
  last?: number;
  readonly #remedies: Remedies;

  constructor(remedies: Remedies, last?: number) {
    this.#remedies = remedies;
    this.last = last;
  }

  /** Each attempt, and each that is skipped for the cooldown, is told to the server; that it cannot be told changes nothing. */
  async run(gate: Gate): Promise<Remediation> {
    const { focus, record, now } = this.#remedies;
    const done: Remediation = { status: 'idle', skipped: '', checkId: '', failed: false };
    if (gate.degraded < degradedLimit) return { ...done, skipped: 'below_threshold' };
    const event: RemediationEvent = { source: 'learning_workbench_refresh', status: 'not_applied', triggerReason: 'degraded_streak', checkId: '', detail: '', degradedStreakCount: gate.degraded };
    const left = this.last === undefined ? 0 : cooldown - (now() - this.last);
    if (left > 0) {
      done.skipped = event.triggerReason = `cooldown_active:${Math.ceil(left / 1000)}s`;
      event.status = 'cooldown';
    } else {
      this.last = now();
      done.status = 'attempted';
      try {
        const verified = await focus();
        done.checkId = event.checkId = verified.effectiveCheckId;
        event.detail = verified.autoFocusReason;
        if (verified.autoFocusApplied) done.status = event.status = 'applied';
      } catch (error) {
        done.failed = true;
        event.status = 'error';
        event.triggerReason = 'auto_focus_error';
        event.detail = error instanceof ApiError ? error.code : String(error);
      }
    }
    await record(event).catch(() => {});
    return done;
  }
}

/** What of the gate and of the attempts outlives a reload of the page. */
export interface Kept {
  degraded: number;
  /** When the last attempt was made, and when this was kept, in milliseconds. */
  last?: number;
  at: number;
}

/** How long degraded refreshes in a row are remembered while nobody refreshes, in milliseconds. */
const keptFor = 3_600_000;

/** Where one member's state is kept. */
export const keptKey = (userId: string): string => `stoa.runtime.${userId}`;

/** Reads what was kept; what cannot be read, is from the future or too old is forgotten. */
export function readKept(text: string | null, now: number): Kept {
  const none: Kept = { degraded: 0, at: now };
  let kept: Partial<Kept> | null;
  try {
    kept = JSON.parse(text ?? 'null') as Partial<Kept> | null;
  } catch {
    return none;
  }
  if (!kept || typeof kept.at !== 'number' || kept.at > now || now - kept.at > keptFor) return none;
  const degraded = Number.isInteger(kept.degraded) && kept.degraded! > 0 ? kept.degraded! : 0;
  const last = typeof kept.last === 'number' && kept.last <= now ? kept.last : undefined;
  return { degraded, last, at: kept.at };
}

/** The seconds of cooldown_active:<n>s, else 0. */
export function cooldownLeft(skipped: string): number {
  return Number(/^cooldown_active:(\d+)s$/.exec(skipped)?.[1] ?? 0);
}
