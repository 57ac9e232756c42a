import { formatFigure } from '../lib/format';
import { i18n, sentences, t, tValue } from '../lib/i18n.svelte';
import { numberOf, type Fact, type Held } from './reading';
import type { Check, Incident, QueueItem } from './types';

/** What a check watches, in a sentence; the server's own where we have none. */
export function sentenceOf(checkId: string, check?: Pick<Check, 'explanation'>): string {
  const words = tValue('watch', checkId);
  return words === checkId ? check?.explanation || checkId : words;
}

/** What is wrong where a check has turned, else what it watches. */
export function stateOf(checkId: string, turned: boolean, check?: Pick<Check, 'explanation'>): string {
  const words = turned ? tValue('turned', checkId) : checkId;
  return words === checkId ? sentenceOf(checkId, check) : words;
}

/** Actions that say how urgent a check is; what to do is the check's. */
const urgencies = ['mitigate_immediately', 'prioritize_remediation', 'elevated_monitoring'];

/** What an action asks for, in our words, or the server's. */
export function instructionOf(action: Pick<QueueItem, 'actionId' | 'instruction'>, checkId: string): string {
  const words = tValue('act', action.actionId);
  if (words === action.actionId) return action.instruction;
  if (!urgencies.includes(action.actionId)) return words;
  const group = hintGroup(checkId);
  const hint = tValue('hint', group);
  return hint === group ? action.instruction : sentences(hint, words);
}

/** What is wrong before all else, and what would help. */
export function sentenceOfIncident({ code, params }: Incident): string {
  const read = Object.entries(params).map(([name, value]) => [name, paramOf(value)]);
  return t(`incident.${code}`, Object.fromEntries(read));
}

/** A parameter of an incident: numbers as the reader writes them, all else as the server says it. */
function paramOf(value: string): string {
  const [, part, whole] = /^(\d+) of (\d+)$/.exec(value) ?? [];
  if (part && whole) return t('incident.share', { part: withUnit(Number(part), ''), whole: withUnit(Number(whole), '') });
  return /^[-+]?\d+(\.\d+)?$/.test(value) ? withUnit(Number(value), '') : value;
}

export function stepOfIncident({ code }: Incident): string {
  return code === 'check' ? '' : t(`incidentStep.${code}`);
}

/** What to do about it, in our words, or the server's. */
export function hintOf(check: Pick<Check, 'checkId' | 'recommendedActions'>): string {
  const words = tValue('hint', hintGroup(check.checkId));
  return words === hintGroup(check.checkId) ? check.recommendedActions.join(' ') : words;
}

/** Checks that are fixed the same way share their words. */
function hintGroup(checkId: string): string {
  if (/^query_(backend_(identity|runtime_health|last_error)|vector_|fallback_ratio)/.test(checkId) || checkId === 'knowledge_staleness_health') return 'index';
  if (/^tutor_(adapter_inventory|provider_|routing_(health_budget|traceability))/.test(checkId)) return 'tutor';
  if (/_hotspots$/.test(checkId)) return 'hotspots';
  return checkId;
}

export function withUnit(value: number, unit: '' | '%' | 'ms'): string {
  return formatFigure(value, unit, i18n.locale);
}

/** The value of a fact: numbers as the reader writes them, the server's words in ours. */
export function valueOf(fact: Fact): string {
  const number = numberOf(fact.value);
  return number ? withUnit(number.value, number.unit) : fact.value === '' ? '–' : tValue('word', fact.value);
}

export function nameOf(key: string): string {
  return tValue('fact', key);
}

/** From where on a figure turns its check. */
export function limitText({ limit }: Held): string {
  if (!limit) return '';
  const warn = withUnit(limit.warn, limit.unit);
  if (limit.fail === undefined) return t(`limitWarn.${limit.turns}`, { warn });
  return t(`limit.${limit.turns}`, { warn, fail: withUnit(limit.fail, limit.unit) });
}
