import { describe, expect, test } from 'vitest';
import { overscan, rowsOf, wholeUpTo } from './window';

const at = (startIndex: number, endIndex: number, count = 10_000) => ({ startIndex, endIndex, count });
const nothing = { all: false, held: -1 };

describe('the rows of a long list', () => {
  test('are those in sight and a few on either side', () => {
    const rows = rowsOf(at(500, 510), nothing);
    expect(rows[0]).toBe(500 - overscan);
    expect(rows.at(-1)).toBe(510 + overscan);
    expect(rows).toHaveLength(11 + 2 * overscan);
  });

  test('end where the list ends', () => {
    expect(rowsOf(at(0, 3), nothing)[0]).toBe(0);
    expect(rowsOf(at(9_995, 9_999), nothing).at(-1)).toBe(9_999);
  });

  test('keep the one with the focus and those beside it, each once and in order', () => {
    expect(rowsOf(at(500, 510), { all: false, held: 7 }).slice(0, 4)).toEqual([6, 7, 8, 500 - overscan]);
    expect(rowsOf(at(500, 510), { all: false, held: 9_999 }).slice(-2)).toEqual([9_998, 9_999]);
    expect(rowsOf(at(500, 510), { all: false, held: 505 })).toEqual(rowsOf(at(500, 510), nothing));
  });

  test('are all of them on paper, and where they are few', () => {
    expect(rowsOf(at(500, 510), { all: true, held: -1 })).toHaveLength(10_000);
    expect(rowsOf(at(0, 5, wholeUpTo), nothing)).toHaveLength(wholeUpTo);
    expect(rowsOf(at(0, 5, wholeUpTo + 1), nothing).length).toBeLessThan(wholeUpTo);
  });
});
