import type { RequestRecord } from './types';

/** The figures of the page that the server does not send: intervals, quantiles, scales. Pure. */

export interface Interval {
  samples: number;
  value: number;
  /** Undefined below two samples: one says nothing of how far others may be. */
  low?: number;
  high?: number;
}

/** Quantiles .975 of Student's t, for 1..30 degrees of freedom. */
const t975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056,
  2.052, 2.048, 2.045, 2.042,
];

/** The mean with the interval that holds it 19 times in 20. */
export function meanOf(values: number[]): Interval {
  const n = values.length;
  const value = values.reduce((sum, one) => sum + one, 0) / Math.max(1, n);
  if (n < 2) return { samples: n, value };
  const spread = Math.sqrt(values.reduce((sum, one) => sum + (one - value) ** 2, 0) / (n - 1) / n);
  // Beyond the table the quantile comes down to that of the normal distribution.
  const half = (t975[n - 2] ?? 1.96 + 2.46 / (n - 1)) * spread;
  return { samples: n, value, low: value - half, high: value + half };
}

/** A share of n with Wilson's interval, which stays within 0..1 and needs no normality. */
export function shareOf(share: number, n: number): Interval {
  if (n < 1) return { samples: 0, value: share };
  const z = 1.96;
  const middle = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return { samples: n, value: share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The least value that so great a share of the others does not exceed, as the server counts. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export interface Latency {
  /** When the last of them was answered. */
  at: string;
  requests: number;
  p50: number;
  p95: number;
}

/** Requests, newest first, in groups of the same size from the oldest on; a group is large enough to have a p95. */
export function latencies(records: RequestRecord[], most = 12, least = 10): Latency[] {
  const ordered = [...records].reverse();
  const groups = Math.max(1, Math.min(most, Math.floor(ordered.length / least)));
  return Array.from({ length: ordered.length === 0 ? 0 : groups }, (_, index) => {
    const some = ordered.slice(Math.round((index * ordered.length) / groups), Math.round(((index + 1) * ordered.length) / groups));
    const times = some.map(({ durationMs }) => durationMs);
    return { at: some.at(-1)!.finishedAt, requests: some.length, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
  });
}

export interface PathLatency extends Omit<Latency, 'at'> {
  path: string;
  errors: number;
}

/** Each path with its times, the slowest first. */
export function latencyByPath(records: RequestRecord[]): PathLatency[] {
  const paths = new Map<string, RequestRecord[]>();
  for (const record of records) paths.set(record.path, [...(paths.get(record.path) ?? []), record]);
  return [...paths]
    .map(([path, some]) => {
      const times = some.map(({ durationMs }) => durationMs);
      return { path, requests: some.length, p50: quantile(times, 0.5), p95: quantile(times, 0.95), errors: some.filter(({ statusCode }) => statusCode >= 400).length };
    })
    .sort((a, b) => b.p95 - a.p95 || a.path.localeCompare(b.path));
}

export interface Scale {
  low: number;
  high: number;
  ticks: number[];
}

/** From zero to the smallest of 1, 2, 4, 10, 20, … that holds the highest value. */
export function scaleTo(highest: number): Scale {
  for (let power = 1; ; power *= 10) {
    for (const step of [1, 2, 4]) {
      const high = step * power;
      if (highest <= high) return { low: 0, high, ticks: [0, high / 2, high] };
    }
  }
}

/** One scale for several intervals, with zero on it: where a share of it lies, 0..1. */
export function spanOf(intervals: Interval[]): { low: number; high: number } {
  const ends = intervals.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends);
  const margin = (high - low) * 0.04 || 1;
  return { low: low - margin, high: high + margin };
}
