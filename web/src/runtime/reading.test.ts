import { describe, expect, test } from 'vitest';
import { latencies, latencyByPath, meanOf, quantile, scaleTo, shareOf, spanOf } from './figures';
import { judge } from './gates';
import { curlOf, factsOf, grouped, heldOf, helpedOf, leadingOf, numberOf, overallOf, pathsOf, requestOf, sinceOf, statusOf, sureOf, targetPath } from './reading';
import type { Check, Diagnostics, Figures, Gate, Incident, Remedy, RequestRecord, Thresholds, Verdict } from './types';
import { parseView, viewHref, views } from './views';

const check = (checkId: string, status: Check['status'], message = 'a message', more: Partial<Check> = {}): Check => ({
  checkId, status, evidence: 'some', message, observed: '', expected: '', explanation: '', priorityScore: 0, recommendedActions: [], debugTraceHint: { pathPrefix: '', statusAtLeast: 0, method: '', errorCode: '' }, ...more,
});
const early = (checkId: string) => check(checkId, 'warn', 'Too early to tell.', { evidence: 'none' });
const at = (minute: number) => `2026-03-02T09:${String(minute).padStart(2, '0')}:00.000Z`;
/** Verdicts of one check by letter, the newest first, a minute apart from 9:59 back. */
const verdicts = (letters: string, checkId = 'c'): Verdict[] =>
  [...letters].map((letter, index) => ({ id: `${checkId}${index}`, checkId, verifiedAt: at(59 - index), status: ({ p: 'pass', w: 'warn', f: 'fail', u: 'unknown' } as const)[letter]! }) as Verdict);

describe('how checks stand', () => {
  test('a warning for lack of samples is not one', () => {
    expect(statusOf(early('a'))).toBe('waiting');
    expect(statusOf(check('a', 'warn'))).toBe('warn');
    expect(statusOf(check('a', 'pass', 'never seen', { evidence: 'none' }))).toBe('waiting');
    expect(statusOf(check('a', 'fail'))).toBe('fail');
    const groups = grouped([check('a', 'fail'), early('b'), check('c', 'pass'), check('d', 'warn')]);
    expect(Object.values(groups).map((some) => some.map(({ checkId }) => checkId))).toEqual([['a'], ['d'], ['b'], ['c']]);
  });

  test.each([
    [[check('a', 'fail'), check('b', 'warn')], 'blocked'],
    [[check('b', 'warn'), early('c')], 'degraded'],
    [[early('c'), check('d', 'pass')], 'early'],
    [[check('d', 'pass')], 'ready'],
  ])('the whole %#', (list, overall) => expect(overallOf({ checks: list })).toBe(overall));

  test('what comes first is the fault that the server names, and nothing once it is gone', () => {
    const list = [check('fails', 'fail'), check('warns', 'warn'), early('early'), check('passes', 'pass')];
    const incident = { code: 'check', checkId: 'warns', sentence: '', params: {}, steps: [], alsoAffected: [] } satisfies Incident;
    expect(leadingOf({ checks: list, incident })?.checkId).toBe('warns');
    expect(leadingOf({ checks: list, incident: null })).toBeUndefined();
  });
});

describe('since when and how sure', () => {
  test.each([
    ['fail', 'ffwp', { at: at(57), count: 3, open: false }, 'persistent'],
    ['fail', 'fp', { at: at(59), count: 1, open: false }, 'once'],
    ['warn', 'pff', { at: '', count: 0, open: false }, 'unverified'],
    ['fail', 'uf', { at: '', count: 0, open: false }, 'unverified'],
    ['pass', 'ppf', { at: at(58), count: 2, open: false }, 'steady'],
    ['pass', 'fpp', { at: '', count: 0, open: false }, 'recovered'],
    ['pass', '', { at: '', count: 0, open: false }, 'unseen'],
  ] as const)('%s after %s', (status, letters, since, sure) => {
    const one = check('c', status);
    expect(sinceOf(one, verdicts(letters))).toEqual(since);
    expect(sureOf(one, verdicts(letters))).toBe(sure);
  });

  test('a row that goes beyond the list may be longer', () => {
    expect(sinceOf(check('c', 'fail'), verdicts('ff'), false).open).toBe(true);
    expect(sinceOf(check('c', 'fail'), verdicts('ffp'), false).open).toBe(false);
    expect(sureOf(early('c'), verdicts('ww'))).toBe('early');
  });

  test('whether an attempt helped is told by the verdicts around it, up to the next attempt', () => {
    const event = (minute: number, checkId = 'c') => ({ id: String(minute), checkId, recordedAt: at(minute) }) as Remedy;
    const how = (letters: string, minute: number, others: number[] = []) => helpedOf(event(minute), [...others, minute].sort((a, b) => b - a).map((one) => event(one)), verdicts(letters))?.how;
    expect(how('pff', 58)).toBe('helped');
    expect(how('wff', 58)).toBe('partly');
    expect(how('fff', 58)).toBe('unchanged');
    expect(how('fww', 58)).toBe('worse');
    expect(how('fff', 59)).toBe('pending');
    expect(how('p', 30)).toBe('unclear');
    // 9:59 passes, 9:58 and 9:57 fail; the second attempt at 9:58 takes the credit.
    expect(how('pff', 57, [58])).toBe('unchanged');
    expect(how('pff', 58, [57])).toBe('helped');
    expect(helpedOf(event(58, ''), [], verdicts('pf'))).toBeUndefined();
    expect(helpedOf(event(58, 'other'), [], verdicts('pf'))?.how).toBe('pending');
  });
});

describe('what a check sees', () => {
  test('facts, words and lists of paths', () => {
    expect(factsOf('sessions=3, average_delta=-9.4929, negative=100%').facts).toEqual([
      { key: 'sessions', sign: '=', value: '3' }, { key: 'average_delta', sign: '=', value: '-9.4929' }, { key: 'negative', sign: '=', value: '100%' },
    ]);
    expect(factsOf('average_delta>=0, negative<40%').facts.map(({ sign }) => sign)).toEqual(['>=', '<']);
    const spots = factsOf('hotspots=/a/b:12, /c:3').facts[0]!;
    expect(pathsOf(spots)).toEqual([{ path: '/a/b', count: 12 }, { path: '/c', count: 3 }]);
    expect(pathsOf({ key: 'hotspots', sign: '=', value: 'none' })).toEqual([]);
    expect(factsOf('enough records, for a trend')).toEqual({ facts: [], rest: 'enough records, for a trend' });
    expect(factsOf('')).toEqual({ facts: [], rest: '' });
    expect(['0.182ms', '100%', '-2', 'ready', '1e3'].map(numberOf)).toEqual([{ value: 0.182, unit: 'ms' }, { value: 100, unit: '%' }, { value: -2, unit: '' }, undefined, undefined]);
  });

  test('figures with their limits', () => {
    const thresholds = { storeLatencyWarnMs: 250, storeLatencyFailMs: 1000, sessionMemoryPromotionWarnCoveragePct: 10 } as Thresholds;
    expect(heldOf({ checkId: 'store_health', observed: 'latency=3ms' }, thresholds)[0]!.limit).toEqual({ turns: 'above', unit: 'ms', warn: 250, fail: 1000 });
    expect(heldOf({ checkId: 'session_memory_promotion_coverage', observed: 'promoted=1, coverage=9%' }, thresholds).map(({ limit }) => limit)).toEqual([undefined, { turns: 'below', unit: '%', warn: 10, fail: undefined }]);
    expect(heldOf({ checkId: 'query_backend_last_error', observed: 'last_error=none' }, thresholds)[0]!.limit).toBeUndefined();
  });
});

describe('the exact request', () => {
  const item = (actionId: string, request: string) => {
    const [endpointMethod = 'GET', endpointHint = ''] = request.split(' ');
    return { actionId, endpointHint, endpointMethod: endpointMethod as 'GET' | 'POST' };
  };

  test('the learner is filled in, and a POST has its body', () => {
    expect(requestOf(item('x', 'GET /api/a?userId=<user_id>&b=1'), 'ada l')).toEqual({ method: 'GET', path: '/api/a?userId=ada%20l&b=1' });
    expect(requestOf(item('tighten_strategy_auto_path_confidence', 'POST /api/c'), 'ada', 0.35)?.body).toEqual({ strategyMinConfidence: 0.68 });
    expect(requestOf(item('tighten_strategy_auto_path_confidence', 'POST /api/c'), 'ada', 1)?.body).toEqual({ strategyMinConfidence: 1 });
    expect(requestOf(item('align_tutor_preferred_mode', 'POST /api/c'), 'ada')?.body).toEqual({ tutorRoutingConfig: { preferredMode: 'auto' } });
    expect(requestOf(item('drive_ann_index_resync', 'POST /api/c'), 'ada')?.body).toEqual({ documents: [] });
    expect(requestOf(item('unheard_of', 'POST /api/c'), 'ada')?.body).toEqual({});
    expect(requestOf(item('x', ''), 'ada')).toBeUndefined();
  });

  test('for a shell, with nothing that the shell would take for its own', () => {
    expect(curlOf({ method: 'GET', path: '/api/a?b=1&c=2' }, 'http://s')).toBe(`curl -H "Authorization: Bearer $STOA_TOKEN" 'http://s/api/a?b=1&c=2'`);
    expect(curlOf({ method: 'POST', path: '/a', body: { x: "it's" } }, 'http://s')).toBe(`curl -H "Authorization: Bearer $STOA_TOKEN" -X POST -H 'Content-Type: application/json' -d '{"x":"it'\\''s"}' 'http://s/a'`);
  });

  test('the path within a target', () => {
    expect(targetPath('/api/h?userId=<user_id>', 'ada')).toBe('/api/h?userId=ada');
    expect(targetPath('Requests: GET /api/runtime-request-trace?x=1', 'ada')).toBe('/api/runtime-request-trace?x=1');
    expect(targetPath('Expected: sync=ready', 'ada')).toBe('');
  });
});

describe('figures', () => {
  test('a mean with Student’s interval', () => {
    expect(meanOf([])).toEqual({ samples: 0, value: 0 });
    expect(meanOf([4])).toEqual({ samples: 1, value: 4 });
    const three = meanOf([1, 2, 3]);
    // 2 ± 4.303 · 1/√3
    expect([three.value, three.low, three.high].map((x) => x!.toFixed(3))).toEqual(['2.000', '-0.484', '4.484']);
    const many = meanOf(Array.from({ length: 101 }, (_, n) => n % 2));
    expect(many.high! - many.value).toBeCloseTo(0.0992, 3);
  });

  test('a share with Wilson’s interval', () => {
    expect(shareOf(0.5, 0)).toEqual({ samples: 0, value: 0.5 });
    const [none, half] = [shareOf(0, 10), shareOf(0.5, 10)];
    expect([none.low, none.high!.toFixed(4)]).toEqual([0, '0.2775']);
    expect([half.low!.toFixed(4), half.high!.toFixed(4)]).toEqual(['0.2366', '0.7634']);
    expect(shareOf(1, 4).high).toBe(1);
  });

  test('quantiles as the server counts them', () => {
    const list = Array.from({ length: 20 }, (_, n) => 20 - n);
    expect([quantile(list, 0.5), quantile(list, 0.95), quantile([7], 0.95), quantile([], 0.5)]).toEqual([10, 19, 7, 0]);
  });

  test('requests in groups from the oldest on; none too small for a percentile', () => {
    const records = Array.from({ length: 25 }, (_, n) => ({ durationMs: 25 - n, finishedAt: at(59 - n), path: n % 5 ? '/fast' : '/slow', statusCode: n === 0 ? 500 : 200 }) as RequestRecord);
    const groups = latencies(records);
    expect(groups.map(({ requests }) => requests)).toEqual([13, 12]);
    expect(groups.map(({ p50, p95 }) => [p50, p95])).toEqual([[7, 13], [19, 25]]);
    expect(groups.map((group) => group.at)).toEqual([at(47), at(59)]);
    expect(latencies([])).toEqual([]);
    expect(latencies(records.slice(0, 3))).toHaveLength(1);
    expect(latencyByPath(records)).toEqual([{ path: '/slow', requests: 5, p50: 15, p95: 25, errors: 1 }, { path: '/fast', requests: 20, p50: 12, p95: 23, errors: 0 }]);
  });

  test('scales', () => {
    expect([0.4, 1, 3, 130, 400].map((x) => scaleTo(x).high)).toEqual([1, 1, 4, 200, 400]);
    expect(scaleTo(130).ticks).toEqual([0, 100, 200]);
    const span = spanOf([meanOf([0.1, 0.2]), meanOf([-0.05])]);
    expect(span.low).toBeLessThan(-0.05);
    expect(span.high).toBeGreaterThan(meanOf([0.1, 0.2]).high!);
    expect(spanOf([])).toEqual({ low: -1, high: 1 });
  });

  test('gates: what is compared, of how many, and what is too early', () => {
    const gate = (gateId: string, passed: boolean, unit = 'pct') => ({ gateId, passed, comparator: '>=', observedValue: 1, threshold: 2, unit, message: '' }) as Gate;
    const before = { retestPassRatePct: 80, historyWindowAverageMasteryDelta: 0.1, evidenceBackedSuggestionRatioPct: 90, queryEvidenceCoverageRatioPct: 50 } as Figures;
    const now = { ...before, retestPassRatePct: 50, evidenceBackedSuggestionRatioPct: 0, queryEvidenceCoverageRatioPct: 0 };
    const counted = { totalReviews: 10, totalTutorTraces: 0, historyWindowRecords: 4 } as Diagnostics;
    const retest = judge(gate('retest_pass_rate_uplift', false), before, now, counted);
    expect(retest).toMatchObject({ unit: '%', before: 80, now: 50, samples: 10, early: false });
    expect(retest.interval!.low).toBeCloseTo(23.66, 1);
    expect(judge(gate('history_mastery_delta_uplift', true), before, now, counted)).toMatchObject({ unit: '', before: 10, now: 10, samples: 4, interval: undefined });
    expect(judge(gate('evidence_ratio', false), before, now, counted)).toMatchObject({ samples: 0, early: true, interval: undefined });
    expect(judge(gate('query_evidence_coverage', false), before, now, counted)).toMatchObject({ samples: undefined, early: false });
    expect(judge(gate('query_evidence_coverage', false), before, now, counted, { queryExplainabilitySampleCount: 0 } as never)).toMatchObject({ samples: 0, early: true });
    expect(judge(gate('query_p95', true, 'ms'), before, now, counted).unit).toBe('ms');
    expect(judge(gate('one_of_tomorrow', false), before, now, counted)).toMatchObject({ unit: '%', early: false });
  });
});

test('views and their addresses', () => {
  for (const view of views) expect(parseView(new URL(viewHref(view), 'http://x').searchParams)).toBe(view);
  expect(viewHref('requests', 'a b')).toBe('/runtime?view=requests&request=a+b');
  expect(parseView(new URLSearchParams('view=nothing'))).toBe('now');
});
