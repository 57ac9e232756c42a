import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewerMark, reviewerSays } from './notice';

test('the mark is the one the server writes', () => {
  expect(readFileSync(new URL('../../../internal/app/market/review.go', import.meta.url), 'utf8')).toContain(`"${reviewerMark}%s"`);
});

test('the reviewer’s words come whole, and only where there are some', () => {
  expect(reviewerSays('Version 1 of ada/x was not approved. The reviewer says: too long. The reviewer says: no')).toBe('too long. The reviewer says: no');
  expect(reviewerSays('Your trial of ada/x has ended.')).toBe('');
});
