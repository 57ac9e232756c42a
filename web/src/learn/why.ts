import type { MessageKey } from '../lib/i18n.svelte';
import type { Action, Change, Reason } from './types';

/** Why an action stands in the plan, as messages with their values; the words are the locale's. Pure. */

export interface Line {
  key: MessageKey;
  values: Record<string, string>;
}

/** How numbers and names are written in the reader's language. */
export interface Writing {
  percent: (share: number) => string;
  days: (days: number) => string;
  minutes: (minutes: number) => string;
  rule: (rule: Reason['rule']) => string;
}

const gates: Record<string, MessageKey> = { divergence_share_improving: 'why.gate.divergence', evidence_coverage: 'why.gate.evidence' };

/** The sentence that stands for the whole. */
export function whyHead({ reason, title }: Action): Line {
  const because = reason.becauseTitle ?? '';
  if (reason.rule === 'weak_prerequisite' && !because) return { key: 'why.weakAlone', values: { title } };
  if (reason.rule === 'divergence_edge' && !because) return { key: 'why.edgeAlone', values: { title } };
  return { key: `why.rule.${reason.rule}`, values: { title, because } };
}

/** The numbers behind it, the one that came next, and what would have changed the choice. */
export function whyLines({ reason, title }: Action, write: Writing): Line[] {
  const n = (name: string) => reason.numbers[name] ?? 0;
  const lines: Line[] = [];
  if (n('retrievability') > 0) lines.push({ key: 'why.now', values: { mastery: write.percent(n('mastery')), recall: write.percent(n('retrievability')) } });
  if (n('overdueDays') >= 0.5) lines.push({ key: 'why.overdue', values: { days: write.days(n('overdueDays')) } });
  if (reason.rule === 'locked') lines.push({ key: 'why.readiness', values: { readiness: write.percent(n('readiness')) } });
  if (n('horizonDays') > 0 && n('retainedWith') > n('retainedWithout')) {
    lines.push({ key: 'why.retained', values: { days: write.days(n('horizonDays')), with: write.percent(n('retainedWith')), without: write.percent(n('retainedWithout')) } });
  }
  if (n('unlocks') >= 0.005) lines.push({ key: 'why.unlocks', values: {} });
  const gate = gates[reason.gate ?? ''];
  if (gate) lines.push({ key: gate, values: {} });
  const next = reason.runnerUp;
  if (!next) return lines;
  const other = next.title;
  lines.push({ key: 'why.runnerUp', values: { other, rule: write.rule(next.rule) } });
  for (const change of reason.changes ?? []) lines.push(changeLine(change, title, other, write));
  return lines;
}

function changeLine({ quantity, now, then, rule }: Change, title: string, other: string, write: Writing): Line {
  switch (quantity) {
    case 'minutes':
      return { key: 'why.change.minutes', values: { title, other, now: write.minutes(now), then: write.minutes(then) } };
    case 'overdue':
      return { key: 'why.change.overdue', values: { title, other, now: write.days(now), then: write.days(then) } };
    case 'rule':
      return { key: 'why.change.rule', values: { title, other, rule: rule ? write.rule(rule) : '' } };
  }
  return { key: `why.change.${quantity}`, values: { title, other, now: write.percent(now), then: write.percent(then) } };
}
