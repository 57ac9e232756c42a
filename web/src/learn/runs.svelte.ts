import { api, unwrap } from '../lib/api';
import { asApiError, type ApiError } from '../lib/errors';
import { i18n, t } from '../lib/i18n.svelte';
import { session, sessionCache, sessionLeft as runKey } from '../lib/session.svelte';
import { toast } from '../lib/toasts.svelte';
import { newKey } from '../publish/send';
import { begin, check, goOn, grade, outcomesByAtom, reopen, requestOf, revive, stop, undo, type Outcome, type Run } from './run';
import { keepSession } from './offline';
import { school } from './school.svelte';
import type { Action, Execution, Plan } from './types';

const resultKey = 'stoa.learn.result';
const sentKey = 'stoa.learn.sent';

/**
 * The session in hand. The tab keeps it over a reload; the device keeps it too, so that a tab that is closed or ended by the
 * system costs nothing. It has one key wherever it goes on: what is sent first counts, and counts once.
 */
class Runs {
  current = $state.raw<Run>();
  result = $state.raw<Execution>();
  failure = $state.raw<ApiError>();
  sending = $state(false);
  choosing = $state(false);
  /** A session that was begun on this device and is not open in this tab. */
  left = $state.raw<Run>();
  /** Whether all that the session asks is kept on this device. */
  offline = $state(false);

  #user = '';

  open(user: string): void {
    this.#user = user;
    this.failure = undefined;
    this.current = user ? revive(sessionStorage.getItem(runKey), user) : undefined;
    this.left = user && !this.current ? revive(localStorage.getItem(runKey), user) : undefined;
    // What is only to be sent needs no question.
    if (this.left?.step === 'send') this.goOn();
    this.result = user ? this.#kept() : undefined;
  }

  #kept(): Execution | undefined {
    try {
      const result = JSON.parse(sessionStorage.getItem(resultKey) ?? 'null') as Execution | null;
      return result?.userId === this.#user ? result : undefined;
    } catch {
      return undefined;
    }
  }

  #set(run: Run | undefined): void {
    const before = this.current;
    this.current = run;
    if (run) {
      const text = JSON.stringify(run);
      sessionStorage.setItem(runKey, text);
      localStorage.setItem(runKey, text);
    } else {
      sessionStorage.removeItem(runKey);
      if (before) this.#forget(before);
    }
  }

  /** Removes a session from the device, unless another has taken its place there. */
  #forget(run: Run): void {
    this.offline = false;
    if (revive(localStorage.getItem(runKey), this.#user)?.key !== run.key) return;
    localStorage.removeItem(runKey);
    if ('caches' in globalThis) void caches.delete(sessionCache);
  }

  /** Goes on with the session that was left. */
  goOn(): void {
    const run = this.left;
    this.left = undefined;
    if (!run) return;
    this.#set(run);
    this.#keep();
  }

  /** Drops the session that was left. */
  discardLeft(): void {
    if (this.left) this.#forget(this.left);
    this.left = undefined;
  }

  #keep(): void {
    const run = this.current;
    // Each question of a placement depends on the answers before it.
    if (!run || run.step === 'send' || run.kind === 'placement') return;
    void keepSession(run, school.around).then(
      (whole) => (this.offline = whole && this.current?.key === run.key),
      () => undefined,
    );
  }

  start(plan: Plan, kind: Run['kind'] = 'session'): void {
    this.close();
    this.left = undefined;
    this.#set(begin(plan, kind, this.#user, newKey()));
    this.#keep();
  }

  /** What is typed is kept as it is typed; the time as it passes. */
  write(answer: string, spent: number): void {
    const run = this.current;
    const action = run?.plan.actions[run.at];
    if (run && action) this.#set({ ...run, spent, answers: { ...run.answers, [action.id]: answer } });
  }

  keep(spent: number): void {
    if (this.current?.step === 'ask') this.#set({ ...this.current, spent });
  }

  check(spent: number): void {
    if (this.current) this.#set(check(this.current, spent));
  }

  grade(outcome: Outcome): void {
    if (!this.current || this.sending) return;
    const before = this.current.at;
    this.#set(grade(this.current, outcome));
    for (const { title } of this.current.plan.actions.slice(before + 1, this.current.at)) toast(t('run.putOff', { title }));
    if (this.current.step !== 'send') return;
    if (this.current.kind === 'placement') void this.#choose();
    else void this.send();
  }

  /** The next question of a placement, or its end. What fails ends it with the answers that there are. */
  async #choose(): Promise<void> {
    const run = this.current!;
    this.choosing = true;
    try {
      const next = await unwrap(api.POST('/api/knowledge/placement', { body: { outcomesByAtomId: outcomesByAtom(run) } }));
      const action = next.session.actions[0];
      if (this.current !== run) return;
      if (action) {
        this.#set(goOn(run, action));
        return;
      }
    } catch {
      if (this.current !== run) return;
    } finally {
      this.choosing = false;
    }
    void this.send();
  }

  undo(): void {
    const run = this.current;
    if (!run || this.sending) return;
    if (run.at > 0) this.#set(undo(run));
    else if (run.earlier) void this.#takeBack(run.earlier, () => this.current?.key === run.key, run.plan.actions);
  }

  stop(): void {
    if (!this.current) return;
    this.#set(stop(this.current));
    void this.send();
  }

  /** Sends the session; again and again with the same key, so that it counts once. */
  send = async (): Promise<void> => {
    const run = this.current;
    if (!run || run.step !== 'send' || this.sending) return;
    this.sending = true;
    this.failure = undefined;
    try {
      const headers = { 'Idempotency-Key': run.key, 'Accept-Language': i18n.locale };
      const done = await session.run('learning.session.execute', () => unwrap(api.POST('/api/knowledge/session/execute', { headers, body: requestOf(run) })));
      if (done && this.current?.key === run.key) {
        sessionStorage.setItem(resultKey, JSON.stringify(done));
        sessionStorage.setItem(sentKey, JSON.stringify(run));
        this.#set(undefined);
        this.result = done;
        void school.load();
      }
    } catch (error) {
      this.failure = asApiError(error);
    } finally {
      this.sending = false;
    }
  };

  /** The session whose result is shown, while it can still be taken back in this tab. */
  get sent(): Run | undefined {
    return this.result && revive(sessionStorage.getItem(sentKey), this.#user);
  }

  /** Takes the last grade of the session back that was just sent. */
  async takeBack(): Promise<void> {
    const run = this.sent;
    const result = this.result;
    if (!run || !result || this.sending) return;
    await this.#takeBack({ run, id: result.record.id, executedAt: result.executedAt }, () => this.result === result);
  }

  /** Takes the last grade of a session back: the others count as before, and the session goes on at that answer. */
  async #takeBack(sent: NonNullable<Run['earlier']>, still: () => boolean, rest?: Action[]): Promise<void> {
    this.sending = true;
    this.failure = undefined;
    try {
      const body = { sessionId: sent.id };
      const done = await session.run('learning.session.execute', () => unwrap(api.POST('/api/knowledge/session/undo', { body })));
      if (!done || !still()) return;
      const { kept, last } = reopen(sent.run, [newKey(), newKey()], rest);
      this.close();
      // Until the others are sent again, all of them are in hand.
      this.#set(kept ? { ...undo({ ...sent.run, step: 'ask' }), key: last.key } : last);
      if (kept) {
        const headers = { 'Idempotency-Key': kept.key, 'Accept-Language': i18n.locale };
        const again = await unwrap(api.POST('/api/knowledge/session/execute', { headers, body: { ...requestOf(kept), executedAt: sent.executedAt } }));
        if (this.current?.key === last.key) this.#set({ ...last, earlier: { run: kept, id: again.record.id, executedAt: sent.executedAt } });
      }
      void school.load();
    } catch (error) {
      this.failure = asApiError(error);
    } finally {
      this.sending = false;
    }
  }

  /** Lets go of the session that was not sent, and of the result that was looked at. */
  close(): void {
    this.failure = undefined;
    this.#set(undefined);
    this.result = undefined;
    sessionStorage.removeItem(resultKey);
    sessionStorage.removeItem(sentKey);
  }
}

export const runs = new Runs();
