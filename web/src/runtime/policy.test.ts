import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError, retryAfterOf } from '../lib/errors';
import { AutoRemediation, cooldownLeft, Gate, governed, keptKey, policies, readKept, type Attempt, type PolicyKey, type RemediationEvent } from './policy';

const keys = ['get', 'verify_get', 'history_get', 'history_checks_get', 'action_queue_get', 'remediation_history_get'].map((name) => `runtime_runbook_${name}` as PolicyKey);
const refused = (status: number, retryAfter = 0) => new ApiError({ code: 'x', status, retryAfter });
const lost = () => new ApiError({ code: 'network', status: 0 });

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 2, 2, 9) }));
afterEach(() => vi.useRealTimers());

/** Asks while time passes; answers when each attempt was made, in milliseconds from the first, and with which id. */
async function run(key: PolicyKey, answers: (number | Error | 'never')[]) {
  const start = Date.now();
  const at: number[] = [];
  const sent: Attempt[] = [];
  const ask = (attempt: Attempt) => {
    const answer = answers[Math.min(at.length, answers.length - 1)]!;
    at.push(Date.now() - start);
    sent.push(attempt);
    if (answer === 'never') return new Promise<number>(() => {});
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const result = governed(key, ask).then((value) => ({ value, error: undefined }), (error: ApiError) => ({ value: undefined, error }));
  await vi.runAllTimersAsync();
  return { ...(await result), at, sent, took: Date.now() - start };
}

describe('the retry keys of the contract', () => {
  test.each(keys)('%s: 12 s, two retries, the same request id on every attempt', async (key) => {
    expect(policies[key]).toEqual({ timeout: 12_000, retries: 2, retryable: true });
    const { value, at, sent } = await run(key, [refused(503), lost(), 7]);
    expect(value).toBe(7);
    expect(at).toEqual([0, 250, 750]);
    const ids = sent.map(({ headers }) => headers['X-Request-Id']);
    expect(ids[0]).toMatch(/^[A-Za-z0-9._:-]{8,128}$/);
    expect(new Set(ids).size).toBe(1);
  });

  test('there are no others', () => expect(Object.keys(policies).sort()).toEqual([...keys].sort()));

  test('two calls have two ids', async () => {
    const [one, two] = [await run(keys[0]!, [1]), await run(keys[0]!, [1])];
    expect(one.sent[0]!.headers).not.toEqual(two.sent[0]!.headers);
  });

  test.each([
    ['waits as long as it is asked to', refused(429, 7), [0, 7000, 14_000]],
    ['never less than its own pause', refused(502, 0), [0, 250, 750]],
    ['a gateway that gives up', refused(504), [0, 250, 750]],
    ['a failure that would come again', refused(500), [0]],
    ['a refusal', refused(422), [0]],
    ['not allowed', refused(403), [0]],
  ])('%s', async (_, error, at) => {
    const done = await run('runtime_runbook_get', [error]);
    expect(done.at).toEqual(at);
    expect(done.error).toBe(error);
  });

  test('an attempt without an answer ends after 12 s and is called off', async () => {
    const { at, error, sent, took } = await run('runtime_runbook_verify_get', ['never']);
    expect(at).toEqual([0, 12_250, 24_750]);
    expect(took).toBe(36_750);
    expect(error?.code).toBe('network');
    expect(sent.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('what is no answer of the server is not tried again', async () => {
    const { at, error } = await run('runtime_runbook_get', [new TypeError('a mistake of ours')]);
    expect(at).toEqual([0]);
    expect(error).toBeInstanceOf(TypeError);
  });

  test('an answer in time leaves no timer behind', async () => {
    await governed('runtime_runbook_get', () => Promise.resolve(1));
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([['7', 7], ['Mon, 02 Mar 2026 09:00:30 GMT', 30], ['Mon, 02 Mar 2026 08:00:00 GMT', 0], ['soon', 0], [null, 0]])('Retry-After %s is %d s', (header, seconds) => {
  expect(retryAfterOf(header, Date.now())).toBe(seconds);
});

test('the gate warns from the third degraded refresh in a row on', () => {
  const gate = new Gate();
  const states = [true, true, true, true, false, true].map((degraded) => {
    gate.refreshed(degraded);
    return gate.state;
  });
  expect(states).toEqual(['ok', 'ok', 'warn', 'warn', 'ok', 'ok']);
  expect(gate.degraded).toBe(1);
});

test('auto remediation: at three, once in 120 s, and each attempt is told', async () => {
  const gate = new Gate();
  const events: RemediationEvent[] = [];
  const focuses = [
    () => Promise.resolve({ autoFocusApplied: true, effectiveCheckId: 'c', autoFocusReason: 'regressing_trend' }),
    () => Promise.resolve({ autoFocusApplied: false, effectiveCheckId: '', autoFocusReason: 'no_recommended_focus' }),
    () => Promise.reject(refused(500)),
  ];
  let asked = 0;
  const auto = new AutoRemediation({ focus: () => focuses[asked++]!(), record: (event) => Promise.resolve(events.push(event)), now: Date.now });
  const step = async (after: number) => {
    vi.advanceTimersByTime(after);
    gate.refreshed(true);
    const before = events.length;
    return [await auto.run(gate), ...events.slice(before)];
  };
  const idle = { status: 'idle', checkId: '', failed: false };
  const told = { source: 'learning_workbench_refresh', triggerReason: 'degraded_streak', checkId: '', detail: '' };
  expect(await step(0)).toEqual([{ ...idle, skipped: 'below_threshold' }]);
  expect(await step(0)).toEqual([{ ...idle, skipped: 'below_threshold' }]);
  expect(await step(0)).toEqual([{ ...idle, status: 'applied', skipped: '', checkId: 'c' }, { ...told, status: 'applied', checkId: 'c', detail: 'regressing_trend', degradedStreakCount: 3 }]);
  expect(await step(1000)).toEqual([{ ...idle, skipped: 'cooldown_active:119s' }, { ...told, status: 'cooldown', triggerReason: 'cooldown_active:119s', degradedStreakCount: 4 }]);
  expect((await step(118_500))[0]).toEqual({ ...idle, skipped: 'cooldown_active:1s' });
  expect(await step(500)).toEqual([{ ...idle, status: 'attempted', skipped: '' }, { ...told, status: 'not_applied', detail: 'no_recommended_focus', degradedStreakCount: 6 }]);
  expect(await step(120_000)).toEqual([{ ...idle, status: 'attempted', skipped: '', failed: true }, { ...told, status: 'error', triggerReason: 'auto_focus_error', detail: 'x', degradedStreakCount: 7 }]);
  gate.refreshed(false);
  expect((await step(3_600_000))[0]).toEqual({ ...idle, skipped: 'below_threshold' });
  expect(asked).toBe(3);
});

test('that it cannot be told changes nothing', async () => {
  const gate = new Gate();
  for (let n = 0; n < 3; n++) gate.refreshed(true);
  const auto = new AutoRemediation({ focus: () => Promise.reject(lost()), record: () => Promise.reject(lost()), now: Date.now });
  expect(await auto.run(gate)).toMatchObject({ status: 'attempted', failed: true });
  expect(cooldownLeft((await auto.run(gate)).skipped)).toBe(120);
});

test('the streak and the cooldown survive a reload', async () => {
  const gate = new Gate();
  const focus = () => Promise.resolve({ autoFocusApplied: true, effectiveCheckId: 'c', autoFocusReason: '' });
  const remedies = { focus, record: () => Promise.resolve(), now: Date.now };
  const auto = new AutoRemediation(remedies);
  for (let n = 0; n < 3; n++) gate.refreshed(true);
  expect((await auto.run(gate)).status).toBe('applied');
  const kept = JSON.stringify({ degraded: gate.degraded, last: auto.last, at: Date.now() });

  vi.advanceTimersByTime(30_000); // the page is loaded again
  const { degraded, last } = readKept(kept, Date.now());
  const again = new Gate(degraded);
  expect(again.state).toBe('warn');
  const second = new AutoRemediation(remedies, last);
  expect((await second.run(again)).skipped).toBe('cooldown_active:90s');
  vi.advanceTimersByTime(90_000);
  expect((await second.run(again)).status).toBe('applied');
});

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['another kind of value', '7'],
  ['what is too old', JSON.stringify({ degraded: 5, last: 1, at: Date.now() - 3_600_001 })],
  ['what is from the future', JSON.stringify({ degraded: 5, at: Date.now() + 1 })],
  ['figures that make no sense', JSON.stringify({ degraded: -1, last: 'x', at: Date.now() })],
])('%s is forgotten', (_, text) => expect(readKept(text, Date.now())).toMatchObject({ degraded: 0 }));

test('each member has their own', () => expect(keptKey('ada')).not.toBe(keptKey('bob')));
