import { expect, test } from 'vitest';
import { plainWords, written } from './written';

test('only what is more than plain words has a place of its own', () => {
  expect(written('A gardener for pots.')).toBe(false);
  expect(written('# Garden')).toBe(true);
  expect(written('x'.repeat(401))).toBe(true);
});

test.each([
  ['# Garden\n\n- waters **plants**\n- [asks](https://a.example) `you`', 'Garden waters plants asks you'],
  ['<b>bold</b>\nwords', 'bold words'],
  ['3 * 4 > 5', '3 * 4 > 5'],
])('%s reads as %s on a card', (description, words) => expect(plainWords(description)).toBe(words));
