import type { Action, ExecuteRequest, Plan, TutorKind } from './types';

/** A session being worked through, as it is kept over reloads. Pure. */

export const outcomes = ['correct', 'partial', 'incorrect', 'skipped'] as const;
/** A card of Anki is graded by Anki's four buttons, in its order and on its keys. */
export const ankiGrades = ['again', 'hard', 'good', 'easy'] as const;
export type Outcome = (typeof outcomes)[number] | (typeof ankiGrades)[number];

export interface Run {
  user: string;
  plan: Plan;
  /** Of a placement each answer chooses the next question. */
  kind: 'session' | 'retest' | 'placement';
  /** Says "the same session again" however often it is sent. */
  key: string;
  at: number;
  step: 'ask' | 'check' | 'send';
  /** Milliseconds spent on the present action so far. */
  spent: number;
  answers: Record<string, string>;
  outcomes: Record<string, Outcome>;
  times: Record<string, number>;
  /** When the last answer was graded, in milliseconds since 1970. */
  ended?: number;
  /** The session before this one, which can be taken back too. */
  earlier?: { run: Run; id: string; executedAt: string };
}

export function begin(plan: Plan, kind: Run['kind'], user: string, key: string): Run {
  return { user, plan, kind, key, at: 0, step: 'ask', spent: 0, answers: {}, outcomes: {}, times: {} };
}

export function actionAt(run: Run): Action | undefined {
  return run.plan.actions[run.at];
}

/** The answer is given; the time to it counts, and the note may be looked at. */
export function check(run: Run, spent: number): Run {
  const action = actionAt(run);
  if (!action || run.step !== 'ask') return run;
  return { ...run, step: 'check', spent, times: { ...run.times, [action.id]: Math.round(spent) } };
}

export function grade(run: Run, outcome: Outcome, now = Date.now()): Run {
  const action = actionAt(run);
  if (!action || run.step === 'send') return run;
  const next: Run = { ...run, at: run.at + 1, step: 'ask', spent: 0, ended: now, outcomes: { ...run.outcomes, [action.id]: outcome } };
  while (putOff(next, actionAt(next))) next.at++;
  return next.at < next.plan.actions.length ? next : { ...next, step: 'send' };
}

const recalled: Outcome[] = ['correct', 'hard', 'good', 'easy'];

/** Whether something waits for another session, since what it needs was not answered right in this one. */
export function putOff(run: Run, action: Action | undefined): action is Action {
  return action?.afterAtomIds?.some((needed) => !run.plan.actions.some(({ id, atomId }) => atomId === needed && recalled.includes(run.outcomes[id]!))) ?? false;
}

/** Takes the last grade back, and shows its answer again; of a session that was sent `reopen` does. */
export function undo(run: Run): Run {
  const at = run.plan.actions.findLastIndex(({ id }, place) => place < run.at && id in run.outcomes);
  const last = run.plan.actions[at];
  if (run.step === 'send' || !last) return run;
  const outcomes = { ...run.outcomes };
  delete outcomes[last.id];
  return { ...run, at, step: 'check', spent: run.times[last.id] ?? 0, outcomes };
}

/**
 * What becomes of a session that was sent and then taken back: what was graded before its last answer counts again at once, as a session of its
 * own, and the last answer is shown to be graded again, as another, with `rest` after it.
 */
export function reopen(sent: Run, keys: [string, string], rest: Action[] = sent.plan.actions.slice(sent.at)): { kept?: Run; last: Run } {
  const back = undo({ ...sent, step: 'ask' });
  if (sent.kind === 'placement') return { last: { ...back, key: keys[1] } }; // its next question follows from all answers
  const last = actionAt(back)!;
  const kept = { ...back, step: 'send' as const, key: keys[0], plan: { ...back.plan, actions: back.plan.actions.filter(({ id }) => id in back.outcomes) } };
  return {
    kept: graded(back) > 0 ? { ...kept, at: kept.plan.actions.length } : undefined,
    last: { ...back, key: keys[1], at: 0, outcomes: {}, plan: { ...back.plan, actions: [{ ...last, afterAtomIds: [] }, ...rest] } },
  };
}

/** Whether there is a grade to take back. */
export function undoable(run: Run): boolean {
  return run.at > 0 || run.earlier !== undefined;
}

/** Anki's keys for taking the last grade back. */
export function undoes({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  if (altKey || shiftKey) return false;
  if (ctrlKey || metaKey) return key === 'z';
  return key === 'u' && !(target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

const freshRules = ['outer_fringe', 'readiness_unknown', 'locked'];
const dueRules = ['due', 'lapsed'];

/** How many due and new things are still to come, the present one included. */
export function ahead(run: Run): { due: number; fresh: number } {
  const left = run.plan.actions.slice(run.at);
  const count = (rules: string[]) => left.filter(({ reason }) => rules.includes(reason.rule)).length;
  return { due: count(dueRules), fresh: count(freshRules) };
}

/** From so many milliseconds on it is told when a session ended; before, it is when it is sent. */
const sentLate = 120_000;

/** Ends before the last action: what was graded counts, the rest was not asked. */
export function stop(run: Run): Run {
  return { ...run, step: 'send' };
}

/** The next question of a placement. */
export function goOn(run: Run, action: Action): Run {
  return { ...run, step: 'ask', spent: 0, plan: { ...run.plan, actions: [...run.plan.actions, action] } };
}

/** What was answered so far, by concept. */
export function outcomesByAtom(run: Run): Record<string, Outcome> {
  return Object.fromEntries(run.plan.actions.flatMap(({ id, atomId }) => (id in run.outcomes ? [[atomId, run.outcomes[id]!]] : [])));
}

export function graded(run: Run): number {
  return Object.keys(run.outcomes).length;
}

/** What is sent at the end. Only what was graded goes along, so that a half-written answer to an action that was left is not judged. */
export function requestOf(run: Run, now = Date.now()): ExecuteRequest {
  const done = run.plan.actions.filter(({ id }) => id in run.outcomes);
  const only = <T>(values: Record<string, T>, keep: (value: T) => boolean = () => true) =>
    Object.fromEntries(done.flatMap(({ id }) => (id in values && keep(values[id]!) ? [[id, values[id]!]] : [])));
  return {
    sessionPlan: { ...run.plan, actions: run.plan.actions.filter((action, place) => place >= run.at || action.id in run.outcomes) },
    executionKind: run.kind === 'placement' ? 'custom' : run.kind,
    ...(run.ended && now - run.ended > sentLate ? { executedAt: new Date(run.ended).toISOString() } : {}),
    actionLimit: Math.max(1, done.length),
    answersByActionId: only(run.answers, (text) => text.trim() !== ''),
    outcomesByActionId: only(run.outcomes),
    responseTimesByActionId: only(run.times),
  };
}

/** What is kept, read back; anything else than a session of this member is as nothing. */
export function revive(text: string | null, user: string): Run | undefined {
  try {
    const run = JSON.parse(text ?? 'null') as Run | null;
    return run && run.user === user && Array.isArray(run.plan?.actions) && run.plan.actions.length > 0 && run.key ? run : undefined;
  } catch {
    return undefined;
  }
}

/** What the tutor is asked for at the beginning of an action: a question where something is to be recalled, the note where it is to be read. */
export function tutorFor(kind: Action['kind']): TutorKind {
  const asked: Record<Action['kind'], TutorKind> = {
    quiz: 'generate_quiz',
    review: 'generate_quiz',
    explain: 'recap',
    reflection: 'follow_up',
    transfer: 'generate_transfer',
    counterexample: 'generate_counterexample',
  };
  return asked[kind];
}

/** Actions that begin with reading the note. */
export function reads(kind: Action['kind']): boolean {
  return kind === 'explain';
}

/** Whether the note is read before an answer: also for the first answer after the step that was to begin with it was put off. */
export function readsFirst(run: Run, action: Action): boolean {
  const before = run.plan.actions.slice(0, run.at).filter(({ atomId }) => atomId === action.atomId);
  return reads(action.kind) || (before.some(({ kind }) => reads(kind)) && !before.some(({ id }) => id in run.outcomes));
}
