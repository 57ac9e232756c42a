import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import english from '../locales/en-US.json';
import i18next from 'i18next';
import { problemText } from './problems';

beforeAll(async () => {
  await i18next.init({ lng: 'en-US', fallbackLng: false, keySeparator: false, nsSeparator: false, resources: { 'en-US': { translation: english } } });
});

test.each([
  ['is missing', 'is required'],
  ['must be a whole number from 1 to 200', 'must be a whole number from 1 to 200'],
  ['must be a text of at least 1 characters of at most 80 characters without control characters or others that are not allowed here', 'must have 1 to 80 characters'],
  ['must be a text of at most 80 characters', 'must have at most 80 characters'],
  ['must have 12 to 1024 characters', 'must have 12 to 1024 characters'],
  ['must be one of a, b', 'must be one of a, b'],
])('%s', (problem, text) => expect(problemText(problem)).toEqual({ text }));

test('an unknown problem stays in English and says so', () => {
  expect(problemText('is quite another thing')).toEqual({ text: 'is quite another thing', lang: 'en' });
});

test('every sentence that the contract’s shapes can give has words of ours', () => {
  const code = readFileSync(new URL('../../../internal/httpapi/routes/shape.go', import.meta.url), 'utf8');
  const wanted = code.slice(code.indexOf('func wanted'), code.indexOf('func join'));
  const sentences = [...wanted.matchAll(/"((?:must|does)[^"]*)"/g)].map((match) => match[1]!.replace(/%[gd]/g, '7').replace(/(must be one of )$/, '$1x'));
  expect(sentences.length).toBeGreaterThan(6);
  for (const sentence of sentences) expect(problemText(sentence).lang, sentence).toBeUndefined();
});

test('every error code of the contract has words of ours', () => {
  const contract = readFileSync(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8');
  const listed = /\n    ErrorCode:\n\s+type: string\n\s+enum:\n((?:\s+- [a-z_]+\n)+)/.exec(contract)![1]!;
  const codes = [...listed.matchAll(/- ([a-z_]+)/g)].map((match) => match[1]!);
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => !(`error.${code}` in english))).toEqual([]);
});
