import { expect, test } from 'vitest';
import { matching, move, type Option } from './select';

const options: Option[] = ['Apple', 'Apricot', 'Banana', 'Blueberry', '桜'].map((label) => ({ value: label, label, disabled: label === 'Banana' }));

test.each([
  [-1, 1, 0],
  [0, -1, 0],
  [1, 1, 3],
  [3, -1, 1],
  [0, 10, 4],
  [5, -1, 4],
  [4, -10, 0],
])('from %i by %i is %i', (from, step, to) => expect(move(options, from, step)).toBe(to));

test('nothing to choose leads nowhere', () => {
  expect(move([], -1, 1)).toBe(-1);
  expect(move(options.map((one) => ({ ...one, disabled: true })), -1, 1)).toBe(-1);
});

test.each([
  ['a', 0, 1],
  ['a', 1, 0],
  ['aa', 0, 1],
  ['apr', 0, 1],
  ['AP', 1, 1],
  ['b', 0, 3],
  ['桜', 0, 4],
  ['x', 0, -1],
])('%s from %i finds %i', (typed, from, to) => expect(matching(options, typed, from)).toBe(to));
