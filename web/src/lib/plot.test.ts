import { describe, expect, test } from 'vitest';
import { barsOf, formatDays, topOf } from './plot';

describe('bars', () => {
  test('of a day each, up to five weeks', () => {
    const bars = barsOf('2026-02-27', [1, 0, 3]);
    expect(bars.map((bar) => [bar.from, bar.to, bar.count])).toEqual([
      ['2026-02-27', '2026-02-27', 1],
      ['2026-02-28', '2026-02-28', 0],
      ['2026-03-01', '2026-03-01', 3],
    ]);
  });

  test('of a week each beyond that, the oldest shorter, nothing lost', () => {
    const counts = Array.from({ length: 90 }, (_, index) => index);
    const bars = barsOf('2026-08-24', counts);
    expect(bars).toHaveLength(13);
    expect(bars[0]).toEqual({ from: '2026-08-24', to: '2026-08-29', count: 15 });
    expect(bars.at(-1)).toMatchObject({ from: '2026-11-15', to: '2026-11-21' });
    expect(bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(counts.reduce((sum, n) => sum + n, 0));
  });

  test.each([[0, 2], [1, 2], [3, 4], [5, 10], [11, 20], [40, 40], [41, 100], [1001, 2000]])('as high as %i stand under %i', (count, top) => {
    expect(topOf([{ from: '', to: '', count }])).toBe(top);
  });
});

test('days are named by locale and do not slip with the time zone', () => {
  const bar = { from: '2026-11-15', to: '2026-11-21', count: 1 };
  expect(formatDays(bar, 'en-US')).toMatch(/^Nov 15\s–\s21, 2026$/);
  expect(formatDays({ ...bar, to: bar.from }, 'ja-JP')).toBe('2026/11/15');
});
