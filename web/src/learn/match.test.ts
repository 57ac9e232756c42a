import { expect, test } from 'vitest';
import { answerOf, chosen, pairs } from './match';

const left = ['Isolation', 'Start', 'Size'];
const choices = ['seconds', '16 MB', 'a kernel of its own'];

test('what is chosen is kept as numbers, and read again', () => {
  expect(answerOf([3, 0, 2])).toBe('3 ? 2');
  expect(chosen('3 ? 2', left)).toEqual([3, 0, 2]);
  expect(answerOf([0, 0, 0])).toBe('');
});

test('an answer in words chooses nothing', () => {
  expect(chosen('I do not know', left)).toEqual([0, 0, 0]);
  expect(chosen('seconds', left)).toEqual([0, 0, 0]);
  expect(pairs('I do not know', left, choices)).toBeUndefined();
  expect(pairs('1 2', [], choices)).toBeUndefined();
});

test('pairs are shown with what was chosen', () => {
  expect(pairs('3 1 ?', left, choices)).toEqual([['Isolation', 'a kernel of its own'], ['Start', 'seconds'], ['Size', '…']]);
});
