import { expect, test } from 'vitest';
import { differenceOf, readable } from './difference';

const shown = (before: string, after: string) => differenceOf(before, after).map(({ sign, text }) => sign + text);

test('names the lines that change, with a little of what stays', () => {
  expect(shown('a\nb\nc\nd\ne\nf', 'a\nb\nc\nx\ne\nf')).toEqual([' b', ' c', '-d', '+x', ' e', ' f']);
  expect(shown('', 'a\nb')).toEqual(['+a', '+b']);
  expect(shown('a', 'a')).toEqual([]);
  expect(shown('a', '')).toEqual(['-a']);
});

test('taking the lines with − and blank gives the old text, those with + and blank the new one', () => {
  for (let seed = 1; seed < 300; seed++) {
    const text = (salt: number) => Array.from({ length: (seed * salt) % 5 }, (_, at) => 'abc'[(seed * salt * (at + 3)) % 3]).join('\n');
    const [before, after] = [text(7), text(11)];
    const lines = differenceOf(before, after);
    const side = (sign: string) => lines.filter((line) => line.sign !== sign).map((line) => line.text);
    if (before !== after) {
      expect(before.split('\n').filter(Boolean)).toEqual(expect.arrayContaining(side('+')));
      expect(after.split('\n').filter(Boolean)).toEqual(expect.arrayContaining(side('-')));
    }
    if (lines.length >= Math.max(before.split('\n').length, after.split('\n').length)) expect([side('+').join('\n'), side('-').join('\n')]).toEqual([before, after]);
  }
});

test('a value is shown as people read it', () => {
  expect(readable('{"begin_dialogs":[],"skills":null,"system_prompt":"You are Ann.\\nBe kind.","tools":null}')).toBe('You are Ann.\nBe kind.');
  expect(readable('{"active":true,"url":"https://a.example"}')).toBe('{\n  "active": true,\n  "url": "https://a.example"\n}');
  expect(readable(null)).toBe('');
});
