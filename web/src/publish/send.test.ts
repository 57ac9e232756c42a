import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bodyOf, KeyOfBody, newKey } from './send';

// Node has no FileReader; this one answers as a browser's does.
class Reader {
  result = '';
  onload = () => {};
  onerror = () => {};
  readAsDataURL(blob: Blob) {
    void blob.arrayBuffer().then((bytes) => {
      this.result = `data:;base64,${Buffer.from(bytes).toString('base64')}`;
      this.onload();
    });
  }
}
beforeEach(() => vi.stubGlobal('FileReader', Reader));
afterEach(() => vi.unstubAllGlobals());

const signal = new AbortController().signal;

test.each([0, 1, 2, 3, 786_431, 786_432, 786_433, 2_000_000])('%i bytes come through in base64', async (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, index) => index % 251);
  const body = JSON.parse(await (await bodyOf({ fields: { filename: 'a "b".zip' }, file: { field: 'content_base64', blob: new Blob([bytes]) }, signal })).text());
  expect(body.filename).toBe('a "b".zip');
  expect(Buffer.from(body.content_base64, 'base64').equals(Buffer.from(bytes))).toBe(true);
});

test('without fields or without a file it is still JSON', async () => {
  expect(JSON.parse(await (await bodyOf({ fields: {}, file: { field: 'f', blob: new Blob(['hi']) }, signal })).text())).toEqual({ f: 'aGk=' });
  expect(JSON.parse(await (await bodyOf({ fields: { a: [1] }, signal })).text())).toEqual({ a: [1] });
});

test('a key fits the contract and is new each time', () => {
  expect(newKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newKey()).not.toBe(newKey());
});

test('the same request keeps its key, and another one gets another', () => {
  const keys = new KeyOfBody();
  const first = keys.of({ title: 'a' });
  expect(keys.of({ title: 'a' })).toBe(first);
  expect(keys.of({ title: 'b' })).not.toBe(first);
});
