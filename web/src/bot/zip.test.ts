import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressOf, blockedByBrowser } from './address';
import { canonical } from './canonical';
import { zipOf } from './zip';

// Read by a program that is not ours, which compares the sums.
test.each([['tidy/SKILL.md', 'Tidy up.\n'], ['整理/SKILL.md', '整理。'.repeat(5000)], ['a/SKILL.md', '']])('a zip of %s is read by Python', (path, text) => {
  const dir = mkdtempSync(join(tmpdir(), 'stoa-zip-'));
  try {
    const file = join(dir, 'a.zip');
    writeFileSync(file, zipOf(path, text));
    const code = 'import sys,zipfile,json\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps([[n,z.read(n).decode()] for n in z.namelist()]))';
    expect(JSON.parse(execFileSync('python3', ['-c', code, file], { encoding: 'utf8' }))).toEqual([[path, text]]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('values are the same however they are written', () => {
  expect(canonical({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  expect(canonical(JSON.parse('{"z":1.0,"a":true}'))).toBe('{"a":true,"z":1}');
});

test.each([
  ['127.0.0.1:6185', 'http://127.0.0.1:6185'],
  [' http://Bot.lan:6185/ ', 'http://bot.lan:6185'],
  ['https://example.org/bot/api/v1', 'https://example.org/bot'],
  ['ftp://example.org', undefined],
  ['http://me:secret@example.org', undefined],
  ['http://example.org/?key=abk_1', undefined],
  ['', undefined],
  ['http://', undefined],
])('the address %s is %s', (typed, address) => expect(addressOf(typed)).toBe(address));

test('a page that came over TLS reaches plain addresses on this machine alone', () => {
  expect(blockedByBrowser('http://192.168.1.5:6185', 'https:')).toBe(true);
  expect(blockedByBrowser('http://127.0.0.1:6185', 'https:')).toBe(false);
  expect(blockedByBrowser('http://localhost:6185', 'https:')).toBe(false);
  expect(blockedByBrowser('http://192.168.1.5:6185', 'http:')).toBe(false);
});
