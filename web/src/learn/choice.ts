/** Why a strategy was chosen, out of the server's short text such as `mode_fallback:outcomes_per_arm:balanced:3<20`. Pure. */

export const conditions = [
  'explicit',
  'trend',
  'held',
  'auto_path_disabled',
  'randomised_outcomes',
  'outcomes_per_arm',
  'evidence_age_days',
  'contrast_blocks',
  'calibration_gap',
  'rolled_back',
  'contrast_lower_bound',
  'personal_confidence',
  'open_failure',
  'insufficient_data',
  'improving',
  'stable',
  'regressing',
  'unknown',
] as const;
export type Condition = (typeof conditions)[number];

export interface ChoiceReason {
  condition: Condition;
  /** The strategy that the condition speaks of, if it names one. */
  strategy: string;
  observed: number;
  needed: number;
}

const families: [RegExp, Condition][] = [
  [/^rolled_back/, 'rolled_back'],
  [/^open_failure/, 'open_failure'],
];

export function parseChoice(source: string, reason: string): ChoiceReason {
  const parts = reason.split(':');
  const numbers = /(-?[\d.]+(?:e-?\d+)?)[<>](-?[\d.]+(?:e-?\d+)?)/.exec(reason);
  const out: ChoiceReason = { condition: 'unknown', strategy: '', observed: Number(numbers?.[1] ?? 0), needed: Number(numbers?.[2] ?? 0) };
  if (source === 'explicit_request') return { ...out, condition: 'explicit', strategy: parts[1] ?? '' };
  if (source === 'strategy_trend') return { ...out, condition: reason.includes(':held=') ? 'held' : 'trend', strategy: parts[1] ?? '' };
  const named = parts[1] ?? '';
  const condition = families.find(([form]) => form.test(named))?.[1] ?? conditions.find((one) => one === named) ?? 'unknown';
  return { ...out, condition, strategy: parts.length > 3 ? (parts[2] ?? '') : '' };
}
