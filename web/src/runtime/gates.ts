import { shareOf, type Interval } from './figures';
import type { Diagnostics, Figures, Gate, Matrix } from './types';

/** What each gate of quality compares, and of how many samples its figure is. Pure. */

interface Source {
  figure: keyof Figures;
  /** What the figure is a share of. */
  of?: keyof Diagnostics;
  /** The same, where the matrix counts it. */
  seen?: 'queryCount' | 'queryExplainabilitySampleCount' | 'sessionMemoryPersistedCount';
  /** A mean of changes of mastery is shown in points. */
  points?: true;
}

const sources: Record<string, Source> = {
  retest_pass_rate_uplift: { figure: 'retestPassRatePct', of: 'totalReviews' },
  misconception_reduction: { figure: 'misconceptionRecurrenceRatePct', of: 'misconceptionEvents' },
  evidence_ratio: { figure: 'evidenceBackedSuggestionRatioPct', of: 'totalTutorTraces' },
  path_effectiveness: { figure: 'averagePathMasteryGainPct' },
  history_mastery_delta_uplift: { figure: 'historyWindowAverageMasteryDelta', of: 'historyWindowRecords', points: true },
  query_p95: { figure: 'queryP95Ms', seen: 'queryCount' },
  query_evidence_coverage: { figure: 'queryEvidenceCoverageRatioPct', seen: 'queryExplainabilitySampleCount' },
  query_relation_path_coverage: { figure: 'queryRelationPathCoverageRatioPct', seen: 'queryExplainabilitySampleCount' },
  query_temporal_validity: { figure: 'queryTemporalValidityPassRatioPct', seen: 'queryExplainabilitySampleCount' },
  pending_verification_ratio: { figure: 'pendingVerificationRatioPct', of: 'totalTutorTraces' },
  query_backend_fallback_ratio: { figure: 'queryBackendFallbackRatioPct', seen: 'queryCount' },
  session_memory_promotion_coverage: { figure: 'sessionMemoryPromotionCoveragePct', seen: 'sessionMemoryPersistedCount' },
};

export interface Judged {
  gate: Gate;
  unit: '' | '%' | 'ms';
  before?: number;
  now?: number;
  /** Undefined where the server does not count them. */
  samples?: number;
  /** Of the present figure, in its unit. */
  interval?: Interval;
  /** Nothing was counted yet, so that it fails says nothing. */
  early: boolean;
}

export function judge(gate: Gate, before: Figures, now: Figures, counted: Diagnostics, signals?: Matrix['signals']): Judged {
  const source = sources[gate.gateId];
  const unit = gate.unit === 'ms' ? 'ms' : source?.points ? '' : '%';
  if (!source) return { gate, unit, early: false };
  const scale = source.points ? 100 : 1;
  const value = now[source.figure];
  const samples = source.of ? counted[source.of] : source.seen && signals?.[source.seen];
  const share = source.of && !source.points && samples ? shareOf(value / 100, samples) : undefined;
  const interval = share?.low === undefined ? undefined : { samples: share.samples, value, low: 100 * share.low, high: 100 * share.high! };
  return { gate, unit, before: before[source.figure] * scale, now: value * scale, samples, interval, early: !gate.passed && samples === 0 };
}
