import { cardMedia } from './cardtext';
import { describe, expect, test } from 'vitest';
import { conditions, parseChoice } from './choice';
import { dueByDay, pointsOf, retentionOf, scaleOf } from './figures';
import { box, curve, fitted, framed, layoutOf, neighbour, tallest, zoomed } from './layout';
import { plainText } from './plain';
import { daysOf, levelOf, readGoal, streakOf } from './days';
import { titleParts } from './titleparts';
import { batchesOf, gather, isData, placeOf, shownIn, textOf, zoneFor } from './reading';
import { actionAt, ahead, begin, check, grade, readsFirst, reopen, requestOf, revive, stop, undo } from './run';
import type { Action, Concept, Plan, Relation, SessionRecord } from './types';
import { parseView, viewHref, viewParams, views } from './views';
import { whyHead, whyLines } from './why';
import { readWish, requestFor, usual } from './wish';

const concept = (id: string, level = 0, more: Partial<Concept> = {}): Concept => ({
  atomId: id, title: id, documentId: `${id}.md`, state: 'ready', masteryProbability: 0.5, interval90: [0.2, 0.8], retrievability: null, nextReviewAt: '', uncertain: false, level, impliedProbability: null, ...more,
});
const needs = (source: string, target: string): Relation => ({ edgeId: `${source}-${target}`, sourceAtomId: source, targetAtomId: target, relationKind: 'prerequisite', provenance: 'fact', confidence: 0.9, checked: '' });
const file = (path: string, size: number) => ({ path, file: { size, name: path } as File });

describe('what of a folder is sent', () => {
  test('notes in order; the rest is counted or refused with its reason', () => {
    const found = gather([file('v/b.md', 10), file('v/A.MARKDOWN', 5), file('v/p.png', 9), file('v/.obsidian/x.md', 4), file('v/none.md', 0), file('v/huge.txt', 5 * 2 ** 20)]);
    expect(found.notes.map(({ path }) => path)).toEqual(['v/A.MARKDOWN', 'v/b.md']);
    expect(found.refused).toEqual([{ path: 'v/none.md', why: 'empty' }, { path: 'v/huge.txt', why: 'large' }]);
    expect(found.media.map(({ path }) => path)).toEqual(['v/p.png']);
    expect(found.others).toBe(1);
  });

  test('of a vault’s settings those that say how its notes are read', () => {
    const paths = ['v/.obsidian/templates.json', '.obsidian/plugins/templater-obsidian/data.json', 'v/.obsidian/plugins/obsidian-spaced-repetition/data.json', 'v/preamble.sty'];
    const others = ['v/.obsidian/app.json', 'v/.obsidian/plugins/sync/data.json', 'v/x.obsidian/templates.json', 'v/templates.json'];
    const found = gather([...paths, ...others, 'v/a.md'].map((path) => file(path, 9)));
    expect([found.settings, found.notes].map((list) => list.map(({ path }) => path))).toEqual([paths, ['v/a.md']]);
    expect(found.others).toBe(others.length);
    expect(gather(paths.map((path) => file(path, 9))).settings).toEqual([]);
  });

  test('no more than a bound at a time', () => {
    const found = gather([file('a.md', 1), file('b.md', 1), file('c.md', 1)], 2);
    expect(found.notes).toHaveLength(2);
    expect(found.refused).toEqual([{ path: 'c.md', why: 'tooMany' }]);
  });

  test('batches stay below both bounds, lose nothing and keep the order', () => {
    const list = [3, 3, 5, 1, 1, 1, 9];
    const batches = batchesOf(list, (size) => size, 6, 2);
    expect(batches).toEqual([[3, 3], [5, 1], [1, 1], [9]]);
    expect(batches.flat()).toEqual(list);
    expect(batchesOf([], () => 1)).toEqual([]);
  });

  test.each([['documents[3].content', 3], ['documents.12.content', 12], ['operations[1]', -1], ['documents', -1]])('%s is note %i', (field, place) => expect(placeOf(field)).toBe(place));

  test('what is no UTF-8 text is none', async () => {
    await expect(textOf(new File(['# å'], 'a.md'))).resolves.toBe('# å');
    await expect(textOf(new File([new Uint8Array([0xff, 0xfe, 0x41])], 'a.md'))).rejects.toThrow(TypeError);
    await expect(textOf(new File(['a\0b'], 'a.md'))).rejects.toThrow(TypeError);
  });

  test.each([
    ['a.csv', 'Question,Answer\n1,2', false], ['a.CSV', '\ufeffid;"Frage";"Antwort"\r\n1;2;3', false], ['a.tsv', 'front\tback\na\tb', false], ['a.csv', '问题,答案\n', false],
    ['a.csv', 'year,question\n1,2', true], ['a.tsv', '', true], ['a.md', 'a,b', false], ['a.gift', 'What? {=this}', false],
  ])('%s with %j is data: %s', (path, text, data) => expect(isData(path, text)).toBe(data));
});

describe('the map', () => {
  const nodes = [concept('a'), concept('b'), concept('c', 1), concept('d', 1), concept('e', 2)];
  const edges = [needs('a', 'd'), needs('b', 'c'), needs('c', 'e')];

  test('puts each level to the right of what it rests on and crosses no lines it need not', () => {
    const { places, levels } = layoutOf(nodes, edges);
    expect(levels.map(({ level }) => level)).toEqual([0, 1, 2]);
    for (const { sourceAtomId, targetAtomId } of edges) expect(places.get(sourceAtomId)!.x + box.width).toBeLessThan(places.get(targetAtomId)!.x);
    expect(Math.sign(places.get('a')!.y - places.get('b')!.y)).toBe(Math.sign(places.get('d')!.y - places.get('c')!.y));
  });

  test('leads a long line between the concepts, not behind them', () => {
    const chain = [concept('a'), concept('b', 1), concept('c', 2)];
    const { places, ways } = layoutOf(chain, [needs('a', 'b'), needs('b', 'c'), needs('a', 'c')]);
    expect([...places.keys()].sort()).toEqual(['a', 'b', 'c']);
    const [way] = ways.get('a-c')!;
    expect(way!.x).toBe(places.get('b')!.x);
    expect(Math.abs(way!.y - places.get('b')!.y)).toBeGreaterThanOrEqual(box.height);
    expect(curve(places.get('a')!, places.get('c')!, [way!])).toMatch(/^M176 .*H.*C/);
  });

  test('folds a tall level, with no two concepts on each other, and is quick with many', () => {
    const many = Array.from({ length: 400 }, (_, index) => concept(`n${index}`, index < 300 ? 0 : index % 5));
    const lines = many.slice(100).map((node, index) => needs(`n${index % 100}`, node.atomId));
    const began = performance.now();
    const { places, height } = layoutOf(many, lines);
    expect(performance.now() - began).toBeLessThan(500);
    expect(new Set([...places.values()].map(({ x, y }) => `${x},${y}`)).size).toBe(400);
    expect(height).toBeLessThanOrEqual(tallest(400) * (box.height + 14));
  });

  test('is framed whole where titles stay legible, else around a concept', () => {
    const layout = layoutOf(nodes, edges);
    const all = framed(layout, 1200, 700);
    expect(all.x).toBeLessThan(0);
    const tight = framed(layout, 300, 200, layout.places.get('e'));
    const at = layout.places.get('e')!;
    expect((at.x - tight.x) * tight.scale).toBeGreaterThanOrEqual(0);
    expect((at.x + box.width - tight.x) * tight.scale).toBeLessThanOrEqual(300);
    expect(framed(layout, 300, 200, undefined, true).scale).toBeLessThan(tight.scale);
  });

  test('zooms around the point that is pointed at', () => {
    const frame = { x: 10, y: 20, scale: 1 };
    const near = zoomed(frame, 2, 100, 50);
    expect(near.x + 100 / near.scale).toBeCloseTo(frame.x + 100);
    expect(near.y + 50 / near.scale).toBeCloseTo(frame.y + 50);
    expect(zoomed(frame, 1000, 0, 0).scale).toBe(2.5);
  });

  test('arrow keys go to what lies ahead, and nowhere where nothing does', () => {
    const { places } = layoutOf(nodes, edges);
    expect(neighbour(places, 'b', 1, 0)).toBe('c');
    expect(neighbour(places, 'e', 1, 0)).toBe('e');
    expect(['a', 'b']).toContain(neighbour(places, neighbour(places, 'e', -1, 0), -1, 0));
    expect(neighbour(places, 'gone', 1, 0)).toBe('gone');
  });

  test('lines leave on the right and arrive on the left', () => {
    expect(curve({ x: 0, y: 0 }, { x: 300, y: 100 })).toMatch(/^M176 20C.* 300 120$/);
  });

  test('titles are cut by width, a wide character counting twice', () => {
    expect(fitted('Short')).toBe('Short');
    expect(fitted('A title that is far too long')).toBe('A title that is…');
    expect(fitted('数列与极限的收敛性判别法')).toBe('数列与极限的收…');
    expect(fitted('数列与极限')).toBe('数列与极限');
  });
});

const action = (id: string, more: Partial<Action> = {}): Action => ({
  id, kind: 'quiz', atomId: `atom-${id}`, title: id, priority: 1, expectedGain: 0.1, rationale: '', evidenceSpanIds: [], relationPathAtomIds: [], estimatedMinutes: 5, source: 'mastery_path',
  reason: { rule: 'due', strategy: 'balanced', numbers: {} }, ...more,
});
const plan = { userId: 'ada', actions: [action('one'), action('two'), action('three')] } as Plan;

describe('a session', () => {
  test('goes from answer to judgement to the next action, and ends', () => {
    let run = begin(plan, 'session', 'ada', 'key');
    run = check({ ...run, answers: { one: 'An answer', two: 'half written' } }, 1234.6);
    expect(run.step).toBe('check');
    run = grade(run, 'partial');
    expect(actionAt(run)?.id).toBe('two');
    expect(run.step).toBe('ask');
    run = grade(check(grade(check(run, 10), 'skipped'), 20), 'correct');
    expect(run.step).toBe('send');
    expect(grade(run, 'correct')).toBe(run);
    expect(requestOf(run)).toMatchObject({ actionLimit: 3, executionKind: 'session', outcomesByActionId: { one: 'partial', two: 'skipped', three: 'correct' }, responseTimesByActionId: { one: 1235, two: 10, three: 20 } });
  });

  test('that is sent late says when it ended', () => {
    const run = stop(grade(check(begin(plan, 'session', 'ada', 'key'), 5), 'correct', 1_000_000));
    expect(requestOf(run, 1_060_000).executedAt).toBeUndefined();
    expect(requestOf(run, 2_000_000).executedAt).toBe('1970-01-01T00:16:40.000Z');
  });

  test('that ends early sends what was judged and nothing else', () => {
    const run = stop(grade(check({ ...begin(plan, 'session', 'ada', 'key'), answers: { one: ' ', two: 'half' } }, 5), 'correct'));
    expect(requestOf(run)).toMatchObject({ actionLimit: 1, answersByActionId: {}, outcomesByActionId: { one: 'correct' } });
  });

  test('survives a reload of the same member alone', () => {
    const run = check(begin(plan, 'session', 'ada', 'key'), 77);
    expect(revive(JSON.stringify(run), 'ada')).toEqual(run);
    expect(revive(JSON.stringify(run), 'bob')).toBeUndefined();
    for (const text of [null, '', '{', '{"user":"ada"}', '[]']) expect(revive(text, 'ada')).toBeUndefined();
  });
});

describe('figures', () => {
  const nodes = [concept('a', 0, { retrievability: 0.9, masteryProbability: 0.95 }), concept('b', 0, { retrievability: 0.5, masteryProbability: 0.3 }), concept('c')];

  test('retention is the mean recall of what was studied, within its interval', () => {
    const held = retentionOf(nodes)!;
    expect(held.concepts).toBe(2);
    expect(held.share).toBeCloseTo(0.7);
    expect(held.low).toBeCloseTo(0.7 - (1.645 * Math.sqrt(0.34)) / 2);
    expect(held.high).toBe(1);
    expect(retentionOf([concept('c')])).toBeUndefined();
  });

  test('what is overdue falls on today, what is far off on no day', () => {
    const now = Date.parse('2026-11-21T18:00:00Z');
    const at = (time: string) => concept(time, 0, { nextReviewAt: time });
    const due = dueByDay([at('2026-11-01T00:00:00Z'), at('2026-11-21T23:00:00Z'), at('2026-11-23T01:00:00Z'), at('2027-11-23T01:00:00Z'), concept('never')], now, 3);
    expect(due).toEqual({ from: '2026-11-21', counts: [2, 0, 1] });
  });

  test('sessions from the oldest on', () => {
    const record = (executedAt: string, averageMasteryDelta: number) => ({ executedAt, averageMasteryDelta, executedCount: 3, pathStrategy: 'balanced' }) as SessionRecord;
    expect(pointsOf([record('2026-11-21T00:00:00Z', 0.2), record('2026-11-20T00:00:00Z', -0.1)]).map(({ value }) => value)).toEqual([-0.1, 0.2]);
  });

  test.each([[[0.1, 0.12]], [[-0.03, 0.31]], [[0]], [[]], [[-0.4]]])('the scale of %j holds all of it and zero in few steps', (values: number[]) => {
    const { low, high, ticks } = scaleOf(values);
    for (const value of [0, ...values]) {
      expect(value).toBeGreaterThanOrEqual(low);
      expect(value).toBeLessThanOrEqual(high);
    }
    expect(ticks).toContain(0);
    expect(ticks.length).toBeLessThanOrEqual(7);
    expect(high).toBeGreaterThan(low);
  });
});

describe('why a strategy', () => {
  test.each([
    ['explicit_request', 'explicit_request:balanced', { condition: 'explicit', strategy: 'balanced' }],
    ['mode_fallback', 'mode_fallback:insufficient_data', { condition: 'insufficient_data', strategy: '' }],
    ['mode_fallback', 'mode_fallback:outcomes_per_arm:exploration_boost:3<20', { condition: 'outcomes_per_arm', strategy: 'exploration_boost', observed: 3, needed: 20 }],
    ['mode_fallback', 'mode_fallback:contrast_lower_bound:mastery_recovery:-0.0213<0', { condition: 'contrast_lower_bound', observed: -0.0213, needed: 0 }],
    ['mode_fallback', 'mode_fallback:rolled_back_drift:balanced:0<1', { condition: 'rolled_back', strategy: 'balanced' }],
    ['strategy_trend', 'strategy_trend:exploration_boost:contrast_low=0.120:confidence=0.80', { condition: 'trend', strategy: 'exploration_boost' }],
    ['strategy_trend', 'strategy_trend:exploration_boost:held=2<8', { condition: 'held', observed: 2, needed: 8 }],
    ['unknown', '', { condition: 'unknown' }],
  ])('%s %s', (source, reason, wanted) => {
    const parsed = parseChoice(source, reason);
    expect(parsed).toMatchObject(wanted);
    expect(conditions).toContain(parsed.condition);
  });
});

describe('why an action', () => {
  const write = { percent: (share: number) => `${Math.round(share * 100)}%`, days: (days: number) => `${days} d`, minutes: (minutes: number) => `${minutes} min`, rule: (rule: string) => rule };

  test('says the rule, its numbers, the runner-up and what would change it', () => {
    const taken = action('Limits', {
      reason: {
        rule: 'due', strategy: 'balanced', numbers: { mastery: 0.9, retrievability: 0.6, overdueDays: 3, horizonDays: 30, retainedWith: 0.8, retainedWithout: 0.3, unlocks: 0.1 },
        runnerUp: { atomId: 'x', title: 'Series', rule: 'lapsed', source: 'mastery_path', score: 1, rank: 0 }, changes: [{ quantity: 'minutes', now: 5, then: 9 }, { quantity: 'mastery', now: 0.9, then: 0.95 }, { quantity: 'overdue', now: 12, then: 7 }, { quantity: 'rule', now: 0, then: 1, rule: 'due' }],
      },
    });
    expect(whyHead(taken)).toEqual({ key: 'why.rule.due', values: { title: 'Limits', because: '' } });
    expect(whyLines(taken, write).map(({ key }) => key)).toEqual(['why.now', 'why.overdue', 'why.retained', 'why.unlocks', 'why.runnerUp', 'why.change.minutes', 'why.change.mastery', 'why.change.overdue', 'why.change.rule']);
    expect(whyLines(taken, write).find(({ key }) => key === 'why.change.overdue')!.values).toMatchObject({ now: '12 d', then: '7 d' });
    expect(whyLines(taken, write)[2]!.values).toEqual({ days: '30 d', with: '80%', without: '30%' });
  });

  test('says nothing that it does not know', () => {
    expect(whyLines(action('x'), write)).toEqual([]);
    expect(whyHead(action('x', { reason: { rule: 'weak_prerequisite', strategy: 'balanced', numbers: {} } })).key).toBe('why.weakAlone');
  });
});

test('what somebody wants of a session is kept, and repaired where it was spoilt', () => {
  expect(readWish(null)).toEqual(usual);
  for (const text of ['{', 'null', '{"minutes":-4,"actions":"x","strategy":"best","mode":1}']) expect(readWish(text)).toEqual(usual);
  const wish = { ...usual, by: 'actions' as const, actions: 3, strategy: 'exploration_boost' as const };
  expect(readWish(JSON.stringify(wish))).toEqual(wish);
  expect(requestFor(wish, '')).toEqual({ maxActions: 3, pathStrategy: 'exploration_boost', mode: 'standard' });
  expect(requestFor({ ...usual, mode: 'deadline', deadline: '2026-12-01T08:00' }, 'a')).toMatchObject({ minutes: 20, mode: 'deadline', focusAtomIds: ['a'], deadlineAt: expect.stringMatching(/^2026-1[12]-\d\dT.*Z$/) });
});

test('a passage is shown without the marks that are for programs, code as it is', () => {
  expect(plainText('---\ntitle: x\n---\n# Limits\n\nRequires [[sequences|the sequences]] and [[sets]]. ^ref\n\n\n\nSee [a **bold** page](http://x "t").')).toBe('Limits\n\nRequires the sequences and sets.\n\nSee a bold page.');
  expect(plainText('Use `[[x]]` and `**y**`.\n```js\n# not a heading\nconst [[a]] = b;\n```')).toBe('Use `[[x]]` and `**y**`.\n# not a heading\nconst [[a]] = b;');
  expect(plainText('2 * 3 * 4 = 24, a_b_c')).toBe('2 * 3 * 4 = 24, a_b_c');
});

test('views have addresses', () => {
  for (const view of views) expect(parseView(viewParams(view))).toBe(view);
  expect(viewHref('today')).toBe('/learn');
  expect(viewHref('map', 'a b')).toBe('/learn?view=map&concept=a+b');
  expect(parseView(new URLSearchParams('view=nonsense'))).toBe('today');
});

test('the pictures that a note shows are known by their names', () => {
  expect(zoneFor([{ content: 'Q::A' }])).toBeUndefined();
  expect(zoneFor([{ content: 'text' }, { content: 'Q::A <!--SR:!2026-01-01,1,250-->' }])).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(shownIn('![[Sub/Ball.PNG|120]] ![x](<img/a b.png>) ![y](img/c%20d.jpg "title") <img src="e.gif"> [f](g.mp3) ![[Note]] [h](i.md)')).toEqual(['ball.png', 'a b.png', 'c d.jpg', 'e.gif', 'g.mp3']);
});

test('the last grade can be taken back until the session is sent', () => {
  const plan = { actions: [{ id: 'a' }, { id: 'b' }] } as unknown as Plan;
  const graded = grade(check(begin(plan, 'session', 'ada', 'key'), 1500), 'incorrect');
  expect(undo(graded)).toMatchObject({ at: 0, step: 'check', spent: 1500, outcomes: {} });
  expect(grade(undo(graded), 'correct').outcomes).toEqual({ a: 'correct' });
  expect(undo(begin(plan, 'session', 'ada', 'key')).at).toBe(0);
  const sent = grade(check(graded, 1), 'correct');
  expect(undo(sent)).toBe(sent);
});

test('of a session that was sent the last grade alone is taken back', () => {
  const plan = { actions: [{ id: 'a', reason: { rule: 'due' } }, { id: 'b', reason: { rule: 'outer_fringe' } }, { id: 'c', reason: { rule: 'ahead_of_schedule' } }] } as unknown as Plan;
  const sent = stop(grade(check(grade(check(begin(plan, 'session', 'ada', 'key'), 1500), 'again'), 900), 'easy'));
  const { kept, last } = reopen(sent, ['first', 'second']);
  expect(requestOf(kept!)).toMatchObject({ actionLimit: 1, outcomesByActionId: { a: 'again' }, responseTimesByActionId: { a: 1500 } });
  expect((requestOf(kept!).sessionPlan as Plan).actions.map(({ id }) => id)).toEqual(['a']);
  expect(last).toMatchObject({ key: 'second', at: 0, step: 'check', spent: 900, outcomes: {} });
  expect(last.plan.actions.map(({ id }) => id)).toEqual(['b', 'c']);
  expect(requestOf(stop(grade(last, 'hard'))).outcomesByActionId).toEqual({ b: 'hard' });
  expect(reopen(grade(begin({ actions: [{ id: 'a' }] } as unknown as Plan, 'session', 'ada', 'key'), 'good'), ['x', 'y']).kept).toBeUndefined();
  expect(ahead(begin(plan, 'session', 'ada', 'key'))).toEqual({ due: 1, fresh: 1 });
  expect(ahead(sent)).toEqual({ due: 0, fresh: 0 });
});

test('what needs something that was not answered right waits for another session, and is not sent', () => {
  const plan = { actions: [{ id: 'a', atomId: 'A' }, { id: 'b', atomId: 'B', afterAtomIds: ['A'] }, { id: 'c', atomId: 'C' }, { id: 'd', atomId: 'D', afterAtomIds: ['B'] }] } as unknown as Plan;
  const right = grade(begin(plan, 'session', 'ada', 'key'), 'correct');
  expect(right.at).toBe(1);
  const wrong = grade(begin(plan, 'session', 'ada', 'key'), 'incorrect');
  expect(wrong.at).toBe(2);
  expect(undo(wrong)).toMatchObject({ at: 0, step: 'check', outcomes: {} });
  const ended = grade(wrong, 'correct');
  expect(ended).toMatchObject({ at: 4, step: 'send' });
  expect((requestOf(ended).sessionPlan as Plan).actions.map(({ id }) => id)).toEqual(['a', 'c']);
  expect(requestOf(ended).actionLimit).toBe(2);
  expect((requestOf(stop(wrong)).sessionPlan as Plan).actions.map(({ id }) => id)).toEqual(['a', 'c', 'd']);
});

test('whose reading was put off is read before it is asked for', () => {
  const plan = { actions: [{ id: 'a', atomId: 'A', kind: 'quiz' }, { id: 'b', atomId: 'B', kind: 'explain', afterAtomIds: ['A'] }, { id: 'c', atomId: 'A', kind: 'quiz' }, { id: 'd', atomId: 'B', kind: 'quiz', afterAtomIds: ['A'] }, { id: 'e', atomId: 'B', kind: 'reflection' }] } as unknown as Plan;
  const late = grade(grade(begin(plan, 'session', 'ada', 'key'), 'incorrect'), 'correct');
  expect([late.at, readsFirst(late, actionAt(late)!)]).toEqual([3, true]);
  const once = grade(late, 'partial');
  expect([once.at, readsFirst(once, actionAt(once)!)]).toEqual([4, false]);
  const usual = grade(grade(grade(begin(plan, 'session', 'ada', 'key'), 'correct'), 'partial'), 'correct');
  expect([usual.at, readsFirst(usual, actionAt(usual)!)]).toEqual([3, false]);
});

describe('a card of an imported collection', () => {
  test('has its files under the name of the collection', () => {
    expect(cardMedia('a&b c.png')).toBe('/api/knowledge/media?name=anki%3Aa%26b%20c.png');
  });
  test('is told from notes when files are dropped', () => {
    const files = ['x/a.md', 'b.apkg', 'C.COLPKG', '.trash/d.apkg', 'e.png'].map((path) => ({ path, file: new File(['x'], path) }));
    const { notes, decks, media, others } = gather(files);
    expect([notes, decks, media].map((list) => list.map(({ path }) => path))).toEqual([['x/a.md'], ['b.apkg', 'C.COLPKG'], ['e.png']]);
    expect(others).toBe(1);
  });
});

test('a title is words and formulas', () => {
  expect(titleParts('The $\\sigma$-algebra of $X$')).toEqual([{ text: 'The ', formula: false }, { text: '\\sigma', formula: true }, { text: '-algebra of ', formula: false }, { text: 'X', formula: true }]);
  expect(titleParts('$5 and $10, or 5 $ and 6 $')).toEqual([{ text: '$5 and $10, or 5 $ and 6 $', formula: false }]);
  expect(titleParts('$2$ \\(x\\) $$y$$').map(({ formula }) => formula)).toEqual([true, false, true, false, true]);
});

describe('days of learning', () => {
  const at = (day: number, hour = 12) => new Date(2026, 10, day, hour).toISOString();
  const now = new Date(2026, 10, 25, 9); // a Wednesday

  test('are those of the learner, whole weeks and the days of this one', () => {
    const days = daysOf([{ executedAt: at(25, 0), executedCount: 3 }, { executedAt: at(24, 23), executedCount: 2 }, { executedAt: at(24, 1), executedCount: 4 }], now, 2);
    expect(days.length).toBe(10);
    expect(days[0]!.day.getDay()).toBe(1);
    expect(days.slice(-3).map(({ answers }) => answers)).toEqual([0, 6, 3]);
  });
  test('in a row end with a day without, but for today', () => {
    const streak = (...days: number[]) => streakOf(daysOf(days.map((day) => ({ executedAt: at(day), executedCount: 1 })), now, 4));
    expect(streak()).toBe(0);
    expect(streak(25)).toBe(1);
    expect(streak(23, 24)).toBe(2);
    expect(streak(22, 23, 24, 25)).toBe(4);
    expect(streak(20, 21, 23)).toBe(0);
  });
  test('are coloured by the goal', () => {
    expect([0, 1, 5, 6, 20, 90].map((answers) => levelOf(answers, 20))).toEqual([0, 1, 1, 2, 4, 4]);
    expect([readGoal(null), readGoal('7'), readGoal('0'), readGoal('x'), readGoal('1.5')]).toEqual([20, 7, 20, 20, 20]);
  });
});
