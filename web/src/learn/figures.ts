import type { Concept, SessionRecord } from './types';

/** What the plots of progress are drawn from. Pure; days are UTC, as those of every plot. */

const day = 86_400_000;

/** Concepts that have been studied: something is remembered of them or was. */
export function studied(nodes: Concept[]): Concept[] {
  return nodes.filter((node) => node.masteryProbability !== null && node.retrievability !== null);
}

export interface Retention {
  concepts: number;
  /** Expected share that would be recalled now, with the interval that holds it nine times in ten. */
  share: number;
  low: number;
  high: number;
}

/** Recall of each concept is taken as independent: the sum is then nearly normal with variance Σ r(1 − r). */
export function retentionOf(nodes: Concept[]): Retention | undefined {
  const known = studied(nodes);
  if (known.length === 0) return undefined;
  const sum = known.reduce((total, node) => total + node.retrievability!, 0);
  const spread = 1.645 * Math.sqrt(known.reduce((total, node) => total + node.retrievability! * (1 - node.retrievability!), 0));
  const n = known.length;
  return { concepts: n, share: sum / n, low: Math.max(0, (sum - spread) / n), high: Math.min(1, (sum + spread) / n) };
}

/** How many reviews fall due on each of the coming days; what is overdue falls on today. */
export function dueByDay(nodes: Concept[], now: number, days = 14): { from: string; counts: number[] } {
  const start = Math.floor(now / day) * day;
  const counts = Array.from({ length: days }, () => 0);
  for (const { nextReviewAt } of nodes) {
    const at = Date.parse(nextReviewAt);
    const index = Math.max(0, Math.floor((at - start) / day));
    if (!Number.isNaN(at) && index < days) counts[index]!++;
  }
  return { from: new Date(start).toISOString().slice(0, 10), counts };
}

export interface Point {
  at: string;
  /** Change of mastery in that session, as a share. */
  value: number;
  actions: number;
  strategy: string;
}

/** Sessions from the oldest to the newest. */
export function pointsOf(records: SessionRecord[]): Point[] {
  return records
    .map((record) => ({ at: record.executedAt, value: record.averageMasteryDelta, actions: record.executedCount, strategy: record.pathStrategy }))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** A scale of whole steps around the values and zero: its lower end, its upper end and the lines between. */
export function scaleOf(values: number[]): { low: number; high: number; ticks: number[] } {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const span = Math.max(most - least, 0.02);
  let step = 0.01;
  for (const next of [0.02, 0.05, 0.1, 0.2, 0.25, 0.5]) if (span / step > 4) step = next;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Math.round((first + index) * step * 1e6) / 1e6);
  return { low: ticks[0]!, high: ticks.at(-1)!, ticks };
}
