import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hiddenBecause, judgedAgain, noteMark, rated, reasonMarks, reviewerMark, reviewerSays, withdrawnBecause, withdrawnVersion } from './notice';

test('the mark is the one the server writes', () => {
  expect(readFileSync(new URL('../../../internal/app/market/review/review.go', import.meta.url), 'utf8')).toContain(`"${reviewerMark}%s"`);
});

test('the reviewer’s words come whole, and only where there are some', () => {
  expect(reviewerSays('Version 1 of ada/x was not approved. The reviewer says: too long. The reviewer says: no')).toBe('too long. The reviewer says: no');
  expect(reviewerSays('Your trial of ada/x has ended.')).toBe('');
});

test('the reason of a withdrawal comes whole, and only where there is one', () => {
  const source = readFileSync(new URL('../../../internal/app/market/review/withdrawing.go', import.meta.url), 'utf8');
  expect(source).toContain(`"${reasonMarks[0]}"`);
  expect(source).toContain(`"${reasonMarks[1]} `);
  const said = (reason: string) => `ada/x, which you have installed, was withdrawn from the catalog.${reason} What you have stays yours. Uninstall it, or take it out of your bot.`;
  expect(withdrawnBecause(said(' The reason: It was wrong. What you have stays yours.'))).toBe('It was wrong. What you have stays yours.');
  expect(withdrawnBecause(said(''))).toBe('');
});

test('a withdrawn version is told apart from a withdrawn item, whatever its author writes', () => {
  const source = readFileSync(new URL('../../../internal/app/market/review/withdrawing_versions.go', import.meta.url), 'utf8');
  const words = source.match(/fmt\.Sprintf\("(.*?)"\+\n\t+"(.*?)",/s)!;
  const said = (note: string) => ['1.1.0', 'ada/x', note, '1.0.0', 'ada/x', 'ada/x'].reduce((text, value) => text.replace('%s', () => value), words[1]! + words[2]!);
  expect(withdrawnVersion(said('It forgets.'))).toEqual({ version: '1.1.0', latest: '1.0.0' });
  expect(withdrawnVersion(said('Version 9 is the newest that stands: no.'))).toEqual({ version: '1.1.0', latest: '1.0.0' });
  expect(withdrawnBecause(said('It forgets.'))).toBe('It forgets.');
  expect(withdrawnVersion('ada/x, which you have installed, was withdrawn from the catalog. The reason: Version 2 of it is the newest that stands: see.')).toBeUndefined();
});

test('a new verdict, stars and the note on a hidden review are read as the server writes them', () => {
  const words = (file: string, begins: string) => {
    const source = readFileSync(new URL(`../../../internal/app/market/${file}`, import.meta.url), 'utf8');
    return source.slice(source.indexOf(`"${begins}`) + 1).split('"')[0]!;
  };
  const said = (format: string, ...values: unknown[]) => values.reduce((text: string, value) => text.replace(/%[sd]/, () => String(value)), format);
  const verdict = words('review/rescan.go', 'Version %s of %s, which you');
  expect(judgedAgain(said(verdict, '1.0.0', 'ada/x', 'low', 'high', ' New warnings: one_flag, two_flag.', 'ada/x'))).toEqual({ before: 'low', now: 'high', flags: ['one_flag', 'two_flag'] });
  expect(judgedAgain(said(verdict, '1.0.0', 'ada/x', 'high', 'low', '', 'ada/x'))).toEqual({ before: 'high', now: 'low', flags: [] });
  expect(judgedAgain('Your trial of ada/x has ended.')).toBeUndefined();
  expect(rated(said(words('browse/ratings.go', '%s gave %s'), 'bob', 'ada/x', 4))).toEqual({ member: 'bob', stars: 4 });
  expect(rated('bob answered what you said of ada/x.')).toBeUndefined();
  const hidden = words('browse/rating_desk.go', 'What you said of');
  expect(hidden).toContain(noteMark);
  expect(hiddenBecause(said(hidden, 'ada/x', 'Be kind.'))).toBe('Be kind.');
});
