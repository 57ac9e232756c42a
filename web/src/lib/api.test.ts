import { describe, expect, test } from 'vitest';
import { filenameOf, unwrap, unwrapFile } from './api';
import { ApiError } from './errors';

const answer = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

describe('unwrap', () => {
  test('gives the data of a success', async () => {
    const reply = Promise.resolve({ data: { data: { total: 3 } }, response: answer(200) });
    await expect(unwrap(reply)).resolves.toEqual({ total: 3 });
  });

  test('turns a failure into its code, request id and waiting time', async () => {
    const error = { ok: false, message: 'm', data: {}, error: { code: 'rate_limited', message: 'Slow down.' } };
    const reply = Promise.resolve({ error, response: answer(429, { 'X-Request-Id': 'r1', 'Retry-After': '42' }) });
    await expect(unwrap(reply)).rejects.toMatchObject({ code: 'rate_limited', status: 429, requestId: 'r1', retryAfter: 42, message: 'Slow down.' });
  });

  test('names an answer that is no envelope', async () => {
    const reply = Promise.resolve({ error: '<html>', response: answer(502) });
    await expect(unwrap(reply)).rejects.toMatchObject({ code: 'unexpected_answer', status: 502 });
  });

  test('names a network failure and lets an abort through', async () => {
    await expect(unwrap(Promise.reject(new TypeError('fetch failed')))).rejects.toBeInstanceOf(ApiError);
    await expect(unwrap(Promise.reject(new DOMException('', 'AbortError')))).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('unwrapFile keeps the name the server gives', async () => {
  const blob = new Blob(['PK']);
  const response = answer(200, { 'Content-Disposition': 'attachment; filename="a b-1.0.0.zip"' });
  await expect(unwrapFile(Promise.resolve({ data: blob, response }))).resolves.toEqual({ blob, filename: 'a b-1.0.0.zip' });
});

test.each([
  [null, 'package.zip'],
  ['attachment; filename=x.zip', 'x.zip'],
  ["attachment; filename=\"_.zip\"; filename*=UTF-8''%E7%BF%BB%E8%AF%91.zip", '翻译.zip'],
])('filenameOf(%s)', (header, name) => expect(filenameOf(header)).toBe(name));
