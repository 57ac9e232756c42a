import { describe, expect, test } from 'vitest';
import { barsOf, formatDays, timeTicks, topOf } from './plot';

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

describe('the axis of time', () => {
  const at = (text: string) => Date.parse(text);
  const labels = (from: string, to: string, locale = 'en-US', zone = 'UTC') => timeTicks(at(from), at(to), locale, 6, zone).map(({ label }) => label.replace(/\s/g, ' '));

  test('has the times within a day, and the day once', () => {
    expect(labels('2026-11-22T09:50:00Z', '2026-11-22T12:10:00Z')).toEqual(['Nov 22 10:00 AM', '10:30 AM', '11:00 AM', '11:30 AM', '12:00 PM']);
    expect(labels('2026-11-22T09:50:00Z', '2026-11-22T12:10:00Z', 'zh-CN')[0]).toBe('11月22日 10:00');
  });

  test('names a day that begins', () => {
    expect(labels('2026-11-22T20:00:00Z', '2026-11-23T05:00:00Z')).toEqual(['Nov 22 9:00 PM', 'Nov 23 12:00 AM', '3:00 AM']);
  });

  test('stands at midnight of the reader', () => {
    for (const { at: tick } of timeTicks(at('2026-11-01T05:00:00Z'), at('2026-11-20T05:00:00Z'), 'ja-JP', 6, 'Asia/Tokyo')) expect(new Date(tick).toISOString()).toMatch(/T15:00:00/);
    expect(labels('2026-11-01T05:00:00Z', '2026-11-04T05:00:00Z', 'ja-JP', 'Asia/Tokyo')).toEqual(['11月2日', '11月3日', '11月4日']);
  });

  test('is within the times, in order, has a few, whatever they are', () => {
    for (let n = 0; n < 300; n++) {
      const from = at('2026-01-01') + ((n * 7_919_317_777) % (400 * 86_400_000));
      const to = from + Math.round(1.11 ** n);
      const ticks = timeTicks(from, to, 'en-US', 6, n % 2 ? 'America/New_York' : 'Asia/Kolkata');
      expect(ticks.length, String(n)).toBeGreaterThanOrEqual(1);
      expect(ticks.length, String(n)).toBeLessThanOrEqual(6);
      for (const [index, tick] of ticks.entries()) {
        expect(tick.at).toBeGreaterThanOrEqual(index === 0 ? from : ticks[index - 1]!.at + 1);
        expect(tick.at).toBeLessThanOrEqual(to);
      }
    }
  });

  test('of one moment is that moment', () => expect(timeTicks(5, 5, 'en-US', 6, 'UTC')).toHaveLength(1));
});
