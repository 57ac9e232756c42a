import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasonMarks, reviewerMark, reviewerSays, withdrawnBecause } from './notice';

test('the mark is the one the server writes', () => {
  expect(readFileSync(new URL('../../../internal/app/market/review.go', import.meta.url), 'utf8')).toContain(`"${reviewerMark}%s"`);
});

test('the reviewer’s words come whole, and only where there are some', () => {
  expect(reviewerSays('Version 1 of ada/x was not approved. The reviewer says: too long. The reviewer says: no')).toBe('too long. The reviewer says: no');
  expect(reviewerSays('Your trial of ada/x has ended.')).toBe('');
});

test('the reason of a withdrawal comes whole, and only where there is one', () => {
  const source = readFileSync(new URL('../../../internal/app/market/withdrawing.go', import.meta.url), 'utf8');
  expect(source).toContain(`"${reasonMarks[0]}"`);
  expect(source).toContain(`"%s${reasonMarks[1]} `);
  const said = (reason: string) => `ada/x, which you have installed, was withdrawn from the catalog.${reason} What you have stays yours. Uninstall it, or take it out of your bot.`;
  expect(withdrawnBecause(said(' The reason: It was wrong. What you have stays yours.'))).toBe('It was wrong. What you have stays yours.');
  expect(withdrawnBecause(said(''))).toBe('');
});
