import type { Check, Matrix, QueueItem, Remedy, Status, Thresholds, Verdict } from './types';

/** What the page reads out of the server's answers. Pure. */

/** How a check stands. Where nothing was seen that it could judge by, that is neither a warning nor a pass. */
export const statuses = ['fail', 'warn', 'waiting', 'pass'] as const;
export type CheckStatus = (typeof statuses)[number];

export function statusOf(check: Pick<Check, 'status' | 'evidence'>): CheckStatus {
  return check.evidence === 'none' ? 'waiting' : check.status;
}

export function grouped(checks: Check[]): Record<CheckStatus, Check[]> {
  const groups: Record<CheckStatus, Check[]> = { fail: [], warn: [], waiting: [], pass: [] };
  for (const check of checks) groups[statusOf(check)].push(check);
  return groups;
}

/** The whole: early where every warning is one for lack of samples. */
export type Overall = 'blocked' | 'degraded' | 'early' | 'ready';

export function overallOf(matrix: Pick<Matrix, 'checks'>): Overall {
  const { fail, warn, waiting } = grouped(matrix.checks);
  if (fail.length > 0) return 'blocked';
  if (warn.length > 0) return 'degraded';
  return waiting.length > 0 ? 'early' : 'ready';
}

export interface Fact {
  key: string;
  sign: '=' | '>=' | '<=' | '<' | '>';
  value: string;
}

/** "key=value, key=value" as facts; what is said in other words stays a text. */
export function factsOf(text: string): { facts: Fact[]; rest: string } {
  const facts: Fact[] = [];
  const rest: string[] = [];
  for (const part of text.split(', ').filter(Boolean)) {
    const match = /^([a-z][a-z0-9_]*)(>=|<=|=|<|>)(.*)$/s.exec(part);
    // A list of paths has the separator within.
    if (match) facts.push({ key: match[1]!, sign: match[2] as Fact['sign'], value: match[3]! });
    else if (rest.length === 0 && facts.at(-1)?.key === 'hotspots') facts.at(-1)!.value += `, ${part}`;
    else rest.push(part);
  }
  return { facts, rest: rest.join(', ') };
}

/** A number of a fact with its unit, or undefined where it is a word. */
export function numberOf(value: string): { value: number; unit: '' | '%' | 'ms' } | undefined {
  const match = /^(-?\d+(?:\.\d+)?)(%|ms)?$/.exec(value);
  return match ? { value: Number(match[1]), unit: (match[2] ?? '') as '' | '%' | 'ms' } : undefined;
}

/** The first paths of a list as "path:count, path:count"; none where a fact is no such list. */
export function pathsOf(fact: Fact, most = 3): { path: string; count: number }[] {
  if (fact.key !== 'hotspots' || !fact.value.startsWith('/')) return [];
  return fact.value.split(', ').slice(0, most).map((item) => ({ path: item.slice(0, item.lastIndexOf(':')), count: Number(item.slice(item.lastIndexOf(':') + 1)) }));
}

interface Limit {
  /** The fact it is held to. */
  key: string;
  warn: keyof Thresholds;
  fail?: keyof Thresholds;
  /** Where it turns: above, below, or from there on. */
  turns: 'above' | 'below' | 'from';
  unit: '' | '%' | 'ms';
}

const limit = (key: string, turns: Limit['turns'], unit: Limit['unit'], warn: Limit['warn'], fail?: Limit['fail']): Limit => ({ key, turns, unit, warn, fail });

/** By which thresholds of the matrix a figure turns its check. */
const limits: Record<string, Limit[]> = {
  store_health: [limit('latency', 'above', 'ms', 'storeLatencyWarnMs', 'storeLatencyFailMs')],
  query_fallback_ratio: [limit('fallback_ratio', 'above', '%', 'queryFallbackWarnRatioPct', 'queryFallbackFailRatioPct')],
  query_evidence_coverage_ratio: [limit('evidence_coverage', 'below', '%', 'queryCoverageWarnRatioPct', 'queryCoverageFailRatioPct')],
  query_temporal_validity_ratio: [limit('temporal_validity', 'below', '%', 'queryCoverageWarnRatioPct', 'queryCoverageFailRatioPct')],
  session_plan_quality_gate: [limit('failure_streak', 'from', '', 'sessionPlanFailureStreakWarn', 'sessionPlanFailureStreakFail')],
  session_memory_promotion_coverage: [limit('coverage', 'below', '%', 'sessionMemoryPromotionWarnCoveragePct')],
  orchestration_path_strategy_alignment: [
    limit('average_delta', 'below', '', 'strategyWarnAverageMasteryDeltaPct', 'strategyFailAverageMasteryDeltaPct'),
    limit('negative', 'from', '%', 'strategyWarnNegativeRatioPct', 'strategyFailNegativeRatioPct'),
  ],
  api_invalid_request_ratio: [limit('invalid_ratio', 'above', '%', 'apiInvalidRequestWarnRatioPct', 'apiInvalidRequestFailRatioPct')],
  api_invalid_request_hotspots: [limit('hotspots', 'from', '', 'apiInvalidRequestHotspotWarnCount', 'apiInvalidRequestHotspotFailCount')],
  api_server_error_ratio: [limit('server_error_ratio', 'above', '%', 'apiServerErrorWarnRatioPct', 'apiServerErrorFailRatioPct')],
  api_server_error_hotspots: [limit('hotspots', 'from', '', 'apiServerErrorHotspotWarnCount', 'apiServerErrorHotspotFailCount')],
  api_transient_error_ratio: [limit('transient_ratio', 'above', '%', 'apiTransientErrorWarnRatioPct', 'apiTransientErrorFailRatioPct')],
  api_transient_error_hotspots: [limit('hotspots', 'from', '', 'apiTransientErrorHotspotWarnCount', 'apiTransientErrorHotspotFailCount')],
  api_latency_p95: [limit('p95', 'above', 'ms', 'apiLatencyWarnMs', 'apiLatencyFailMs')],
  api_latency_hotspots: [limit('hotspots', 'from', 'ms', 'apiLatencyHotspotWarnMs', 'apiLatencyHotspotFailMs')],
};

export interface Held extends Fact {
  limit?: { turns: Limit['turns']; unit: Limit['unit']; warn: number; fail?: number };
}

/** What a check sees now, each figure with the limits it is held to. */
export function heldOf(check: Pick<Check, 'checkId' | 'observed'>, thresholds: Thresholds): Held[] {
  return factsOf(check.observed).facts.map((fact) => {
    const found = limits[check.checkId]?.find(({ key }) => key === fact.key);
    if (!found) return fact;
    return { ...fact, limit: { turns: found.turns, unit: found.unit, warn: thresholds[found.warn], fail: found.fail && thresholds[found.fail] } };
  });
}

export const atRisk = (status: Status | ''): boolean => status === 'warn' || status === 'fail';

/** The verdicts on one check, newest first as they come. */
export function verdictsOf(verdicts: Verdict[], checkId: string): Verdict[] {
  return verdicts.filter((verdict) => verdict.checkId === checkId);
}

/** How long a check has been as it is, by what was verified. */
export interface Since {
  /** When the oldest of the verdicts in a row was given; '' without any. */
  at: string;
  /** Verdicts in a row. */
  count: number;
  /** There may be more before: the list ends within the row. */
  open: boolean;
}

export function sinceOf(check: Pick<Check, 'status'>, verdicts: Verdict[], complete = true): Since {
  const wanted = atRisk(check.status);
  let count = 0;
  while (count < verdicts.length && atRisk(verdicts[count]!.status) === wanted && verdicts[count]!.status !== 'unknown') count++;
  return { at: verdicts[count - 1]?.verifiedAt ?? '', count, open: !complete && count > 0 && count === verdicts.length };
}

/** How sure Stoa is that a check stands as it says. */
export type Sure = 'early' | 'unverified' | 'once' | 'persistent' | 'recovered' | 'steady' | 'unseen';

export function sureOf(check: Pick<Check, 'status' | 'evidence'>, verdicts: Verdict[]): Sure {
  if (statusOf(check) === 'waiting') return 'early';
  const { count } = sinceOf(check, verdicts);
  if (atRisk(check.status)) return count === 0 ? 'unverified' : count === 1 ? 'once' : 'persistent';
  if (count > 0) return 'steady';
  return verdicts.length > 0 ? 'recovered' : 'unseen';
}

/** The check to speak of: that of the fault behind all that has turned. Undefined when nothing is wrong now, whatever was. */
export function leadingOf(matrix: Pick<Matrix, 'checks' | 'incident'>): Check | undefined {
  return matrix.incident ? matrix.checks.find(({ checkId }) => checkId === matrix.incident?.checkId) : undefined;
}

const severity: Record<string, number> = { pass: 1, warn: 2, unknown: 2, fail: 3 };

/** What an attempt did to its check. */
export interface Helped {
  before?: Verdict;
  after?: Verdict;
  how: 'helped' | 'partly' | 'unchanged' | 'worse' | 'pending' | 'unclear';
}

/** The verdict before an attempt beside the last one until the next attempt; verdicts and attempts newest first. */
export function helpedOf(event: Remedy, events: Remedy[], verdicts: Verdict[]): Helped | undefined {
  if (!event.checkId) return undefined;
  const own = verdictsOf(verdicts, event.checkId);
  const later = events.filter((other) => other.checkId === event.checkId && other.recordedAt > event.recordedAt).at(-1);
  const before = own.find(({ verifiedAt }) => verifiedAt <= event.recordedAt);
  const after = own.find(({ verifiedAt }) => verifiedAt > event.recordedAt && (!later || verifiedAt <= later.recordedAt));
  if (!after) return { before, after, how: 'pending' };
  if (!before) return { before, after, how: 'unclear' };
  const change = severity[after.status]! - severity[before.status]!;
  if (change === 0) return { before, after, how: 'unchanged' };
  if (change > 0) return { before, after, how: 'worse' };
  return { before, after, how: after.status === 'pass' ? 'helped' : 'partly' };
}

export interface ExactRequest {
  method: string;
  path: string;
  body?: unknown;
}

/** The request that an item of the queue hints at, with all that it needs; undefined when there is none. */
export function requestOf(item: Pick<QueueItem, 'actionId' | 'endpointHint' | 'endpointMethod'>, userId: string, minConfidence = 0.35): ExactRequest | undefined {
  if (!item.endpointHint.startsWith('/')) return undefined;
  const request: ExactRequest = { method: item.endpointMethod, path: item.endpointHint.replace('<user_id>', encodeURIComponent(userId)) };
  if (request.method === 'GET') return request;
  return { ...request, body: bodyOf(item.actionId, minConfidence) };
}

function bodyOf(actionId: string, minConfidence: number): unknown {
  switch (actionId) {
    case 'align_tutor_preferred_mode':
    case 'keep_preferred_mode_auto_during_stabilization':
      return { tutorRoutingConfig: { preferredMode: 'auto' } };
    case 'tighten_strategy_auto_path_confidence':
      // Half of the way to certainty.
      return { strategyMinConfidence: Math.round(50 * (1 + minConfidence)) / 100 };
    case 'prefer_explicit_path_strategy_during_stabilization':
      return { pathStrategy: 'balanced' };
    case 'drive_ann_index_resync':
      return { documents: [] };
    default:
      return {};
  }
}

/** The path of a verification target, where it is one. */
export function targetPath(target: string, userId: string): string {
  const path = /\/api\/\S+/.exec(target)?.[0] ?? '';
  return path.replace('<user_id>', encodeURIComponent(userId));
}

/** The same for a shell. */
export function curlOf({ method, path, body }: ExactRequest, origin: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = ['curl', '-H', '"Authorization: Bearer $STOA_TOKEN"'];
  if (method !== 'GET') parts.push('-X', method, '-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  return [...parts, quoted(origin + path)].join(' ');
}
