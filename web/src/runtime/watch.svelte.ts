import { api, unwrap } from '../lib/api';
import { ApiError, asApiError } from '../lib/errors';
import { session } from '../lib/session.svelte';
import { AutoRemediation, Gate, governed, keptKey, readKept, type Remediation, type RemediationEvent } from './policy';
import type { Checks, Matrix, Priority, QueueItem, Remedy, RemedyEvent, Verdict, Verification } from './types';

/** How many verdicts and attempts the page looks at: what a week brings, and no more than one answer holds. */
const mostVerdicts = 200;
const mostRemedies = 50;
const sinceMinutes = 10_080;

/** What the page knows of the school, kept up to date by the client's rules. */
class Watch {
  matrix = $state.raw<Matrix>();
  checks = $state.raw<Checks>();
  queue = $state.raw<QueueItem[]>([]);
  verdicts = $state.raw<Verdict[]>([]);
  /** There are no verdicts but these. */
  complete = $state(true);
  remedies = $state.raw<Remedy[]>([]);
  minConfidence = $state<number>();
  /** Where to look whether a check was fixed, by check. */
  targets = $state<Record<string, string[]>>({});
  failure = $state.raw<ApiError>();
  /** When everything was last well, in milliseconds. */
  at = $state(0);
  busy = $state(false);
  gate = $state<'ok' | 'warn'>('ok');
  degraded = $state(0);
  remediation = $state.raw<Remediation>();
  /** The check that is being verified; '*' for what comes first. */
  verifying = $state('');
  priority = $state<Priority | ''>('');

  #round = 0;
  #gate = new Gate();
  #auto = this.#remediator();
  /** Whose state is kept; '' for nobody's. */
  #member = '';

  #remediator(last?: number) {
    return new AutoRemediation(
      { focus: () => this.#verify({ checkId: 'auto', focus: 'recommended' }), record: (event: RemediationEvent) => this.record(event), now: Date.now },
      last,
    );
  }

  /** Takes up where this member's page was before it was reloaded. */
  recall(userId: string): void {
    this.#member = userId;
    const { degraded, last } = readKept(localStorage.getItem(keptKey(userId)), Date.now());
    this.#gate = new Gate(degraded);
    this.#auto = this.#remediator(last);
    this.gate = this.#gate.state;
    this.degraded = degraded;
  }

  #keep(): void {
    if (this.#member === '') return;
    if (this.#gate.degraded === 0 && this.#auto.last === undefined) localStorage.removeItem(keptKey(this.#member));
    else localStorage.setItem(keptKey(this.#member), JSON.stringify({ degraded: this.#gate.degraded, last: this.#auto.last, at: Date.now() }));
  }

  /** Somebody else's school is nobody else's business. */
  forget(): void {
    this.#round++;
    this.matrix = undefined;
    this.checks = undefined;
    this.queue = [];
    this.verdicts = [];
    this.remedies = [];
    this.minConfidence = undefined;
    this.targets = {};
    this.failure = undefined;
    this.busy = false;
    this.gate = 'ok';
    this.degraded = 0;
    this.remediation = undefined;
    this.verifying = '';
    this.priority = '';
    this.#gate = new Gate();
    this.#auto = this.#remediator();
    this.#member = '';
  }

  /**
   * Checks again. The matrix and how checks went are two requests; the records come along only when there are new ones: this
   * page's requests are among those that the checks look at.
   */
  async refresh(all = false): Promise<void> {
    if (this.busy && !all) return;
    const round = ++this.#round;
    this.busy = true;
    try {
      const first = all ? this.#records(round) : undefined;
      first?.catch(() => {}); // told below, unless one of the others failed before it
      const [matrix, checks] = await Promise.all([
        governed('runtime_runbook_get', (attempt) => unwrap(api.GET('/api/knowledge/runtime-capability-matrix', { ...attempt }))),
        governed('runtime_runbook_history_checks_get', (attempt) =>
          unwrap(api.GET('/api/knowledge/runtime-capability-runbook/history/checks', { params: { query: { limit: 50, sinceMinutes } }, ...attempt })),
        ),
      ]);
      if (round !== this.#round) return;
      if (first) await first;
      else if (recorded(checks) !== (this.checks && recorded(this.checks))) await this.#records(round);
      if (round !== this.#round) return;
      this.matrix = matrix;
      this.checks = checks;
      this.failure = undefined;
      this.at = Date.now();
      this.#refreshed(false);
    } catch (cause) {
      if (round !== this.#round) return;
      this.failure = asApiError(cause);
      if (this.failure.code === 'unauthorized') {
        await session.refresh();
      } else {
        this.#refreshed(true);
        this.remediation = await this.#auto.run(this.#gate);
        this.#keep();
      }
    } finally {
      if (round === this.#round) this.busy = false;
    }
  }

  #refreshed(degraded: boolean): void {
    this.#gate.refreshed(degraded);
    this.gate = this.#gate.state;
    this.degraded = this.#gate.degraded;
    if (!degraded) this.remediation = undefined;
    this.#keep();
  }

  async #records(round: number): Promise<void> {
    const [queue, history, remedies, config] = await Promise.all([
      this.#queue(),
      governed('runtime_runbook_history_get', (attempt) =>
        unwrap(api.GET('/api/knowledge/runtime-capability-runbook/history', { params: { query: { limit: mostVerdicts, sinceMinutes } }, ...attempt })),
      ),
      governed('runtime_runbook_remediation_history_get', (attempt) =>
        unwrap(api.GET('/api/knowledge/runtime-capability-runbook/history/remediation-events', { params: { query: { limit: mostRemedies, sinceMinutes } }, ...attempt })),
      ),
      session.can('learning.config.read') ? governed('runtime_runbook_get', (attempt) => unwrap(api.GET('/api/knowledge/session/orchestration/config', { ...attempt }))) : undefined,
    ]);
    if (round !== this.#round) return;
    this.queue = queue;
    this.verdicts = history.records;
    this.complete = history.next_cursor === '';
    this.remedies = remedies.records;
    this.minConfidence = config?.strategyMinConfidence;
    void this.#lookForTargets(queue);
  }

  async #queue(): Promise<QueueItem[]> {
    const query = { limit: 50, queueLimit: 24, sinceMinutes, priority: this.priority || undefined };
    const { actionQueue } = await governed('runtime_runbook_action_queue_get', (attempt) =>
      unwrap(api.GET('/api/knowledge/runtime-capability-runbook/history/action-queue', { params: { query }, ...attempt })),
    );
    return actionQueue;
  }

  async choose(priority: Priority | ''): Promise<void> {
    this.priority = priority;
    const round = this.#round;
    try {
      const queue = await this.#queue();
      if (round !== this.#round || this.priority !== priority) return;
      this.queue = queue;
      void this.#lookForTargets(queue);
    } catch (cause) {
      this.failure = asApiError(cause);
    }
  }

  /** Targets follow from the check alone, so each is asked for once. A card without them is a card all the same. */
  async #lookForTargets(queue: QueueItem[]): Promise<void> {
    for (const checkId of new Set(queue.filter((item) => item.priority !== 'p2').map((item) => item.checkId))) {
      if (this.targets[checkId]) continue;
      this.targets[checkId] = [];
      const query = { checkId };
      await governed('runtime_runbook_get', (attempt) => unwrap(api.GET('/api/knowledge/runtime-capability-runbook', { params: { query }, ...attempt }))).then(
        ({ verificationTargets }) => (this.targets[checkId] = verificationTargets),
        () => delete this.targets[checkId],
      );
    }
  }

  #verify(query: { checkId?: string; focus?: string }): Promise<Verification> {
    return governed('runtime_runbook_verify_get', (attempt) => unwrap(api.GET('/api/knowledge/runtime-capability-runbook/verify', { params: { query: { ...query, sinceMinutes } }, ...attempt })));
  }

  /** Verifies one check again, or the first in the queue, and keeps the verdict. */
  async verify(checkId: string): Promise<Verification | undefined> {
    if (this.verifying) return undefined;
    this.verifying = checkId || '*';
    try {
      const done = await session.run('runtime.governance.verify', () => this.#verify({ checkId: checkId || undefined }));
      if (done) await this.refresh(true);
      return done;
    } finally {
      this.verifying = '';
    }
  }

  /** Tells the server what became of an attempt. It keeps one event for each request id, so this is tried again like a read. */
  async record(body: RemedyEvent): Promise<void> {
    await governed('runtime_runbook_remediation_history_get', (attempt) => unwrap(api.POST('/api/knowledge/runtime-capability-runbook/remediation-event', { body, ...attempt })));
  }
}

/** Changes with every verification and every attempt. */
function recorded({ summary }: Checks): string {
  return `${summary.totalRecords} ${summary.remediationRecords} ${summary.remediationLatestRecordedAt}`;
}

export const watch = new Watch();
