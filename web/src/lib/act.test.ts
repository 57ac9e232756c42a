import { expect, test } from 'vitest';
import { Act } from './act.svelte';
import { ApiError } from './errors';

test('runs once at a time and is free again afterwards', async () => {
  const act = new Act();
  let count = 0;
  let end = () => {};
  const first = act.run(() => new Promise<void>((resolve) => ((count += 1), (end = resolve))));
  await act.run(async () => (count += 1));
  expect([count, act.busy]).toEqual([1, true]);
  end();
  await first;
  await act.run(async () => (count += 1));
  expect([count, act.busy, act.failure]).toEqual([2, false, undefined]);
});

test('keeps why it failed until it is tried again', async () => {
  const act = new Act();
  const cause = new ApiError({ code: 'conflict', status: 409 });
  await act.run(() => Promise.reject(cause));
  expect([act.busy, act.failure]).toEqual([false, cause]);
  await act.run(async () => expect(act.failure).toBeUndefined());
  expect(act.failure).toBeUndefined();
});
