import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import i18next from 'i18next';
import english from '../locales/en-US.json';
import japanese from '../locales/ja-JP.json';
import { notes, noteText } from './notes';

beforeAll(() =>
  i18next.init({ lng: 'ja-JP', fallbackLng: false, keySeparator: false, nsSeparator: false, resources: { 'ja-JP': { translation: japanese } }, interpolation: { escapeValue: false } }),
);

const folder = new URL('../../../internal/market/botimport/', import.meta.url);
const source = readdirSync(folder).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go')).map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');

test('every note that we have words for is one the server writes', () => {
  expect(Object.keys(notes).filter((note) => !source.includes(note))).toEqual([]);
});

test('every note of the tables of what is left out has words', () => {
  const tables = [...source.matchAll(/^\t\{"[^"]+", (?:Omitted|OmittedRuntime|NeedsAPerson|Mapped)\b.*?"([^"]*)"\},$/gm)].map((match) => match[1]!).filter(Boolean);
  expect(tables.length).toBeGreaterThan(25);
  expect(tables.filter((note) => !(note in notes))).toEqual([]);
});

test('every key of a note has words', () => {
  const keys = Object.values(notes).map((key) => `note.${key}`);
  expect(keys.filter((key) => !(key in english))).toEqual([]);
});

test('counts and sizes stand after the words', () => {
  expect(noteText('private chats with people (records: 12)').text).toBe(`${japanese['note.chats']}（12 件の記録）`);
  expect(noteText('temporary files (files: 3, 1.2 kB)').text).toBe(`${japanese['note.temporary']}（3 個のファイル, 1.2 kB）`);
  expect(noteText('statistics').text).toBe(japanese['note.statistics']);
});

test('what is not known stays in English, and says so', () => {
  expect(noteText('something new (records: 2)')).toEqual({ text: 'something new (records: 2)', lang: 'en' });
  expect(noteText('constructor')).toEqual({ text: 'constructor', lang: 'en' });
});
