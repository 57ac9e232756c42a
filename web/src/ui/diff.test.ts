import { expect, test } from 'vitest';
import { linesOf, pairsOf } from './diff';

const unified = ['--- before/a.json', '+++ after/a.json', '@@ -1,4 +1,4 @@', ' {', '-  "a": 1,', '-  "b": 2', '+  "a": 3', ' }', '@@ -9 +9,2 @@', ' x', '+y', '\\ No newline at end of file'];

test('lines know their sign and their numbers on both sides', () => {
  expect(linesOf(unified).map((line) => [line.sign, line.before, line.after])).toEqual([
    ['@', undefined, undefined], [' ', 1, 1], ['-', 2, undefined], ['-', 3, undefined], ['+', undefined, 2], [' ', 4, 3],
    ['@', undefined, undefined], [' ', 9, 9], ['+', undefined, 10],
  ]);
});

test('what went stands beside what came', () => {
  expect(pairsOf(linesOf(unified)).map(({ left, right }) => [left?.sign ?? '', right?.sign ?? ''])).toEqual([
    ['@', '@'], [' ', ' '], ['-', '+'], ['-', ''], [' ', ' '], ['@', '@'], [' ', ' '], ['', '+'],
  ]);
});

test('a section that is new has nothing on the left', () => {
  expect(pairsOf(linesOf(['@@ -0,0 +1,2 @@', '+a', '+b'])).slice(1).map(({ left, right }) => [left, right?.text])).toEqual([[undefined, 'a'], [undefined, 'b']]);
});
