/** What a plot of counts per day is drawn from. Pure; days are UTC, as the server counts them. */

export interface Bar {
  /** First and last day of the bar, as YYYY-MM-DD. */
  from: string;
  to: string;
  count: number;
}

const day = 86_400_000;
/** Above this many days a bar is a week: a bar per day would be too thin to point at on a phone. */
const mostDays = 35;

/** Bars of a day, or of a week counted back from the last day, so that only the oldest may be shorter. */
export function barsOf(from: string, counts: number[]): Bar[] {
  const start = Date.parse(from);
  const date = (index: number) => new Date(start + index * day).toISOString().slice(0, 10);
  const size = counts.length > mostDays ? 7 : 1;
  const bars: Bar[] = [];
  for (let end = counts.length; end > 0; end -= size) {
    const first = Math.max(0, end - size);
    bars.unshift({ from: date(first), to: date(end - 1), count: counts.slice(first, end).reduce((sum, n) => sum + n, 0) });
  }
  return bars;
}

/** The smallest of 2, 4, 10, 20, 40, 100, … that holds the highest bar: its half is a whole number too. */
export function topOf(bars: Bar[]): number {
  const highest = Math.max(0, ...bars.map((bar) => bar.count));
  for (let power = 1; ; power *= 10) {
    for (const step of [2, 4, 10]) if (highest <= step * power) return step * power;
  }
}

export function formatDay(date: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(date));
}

/** The day or days of a bar in full, as "Nov 15 – 21, 2026". */
export function formatDays(bar: Bar, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(new Date(bar.from), new Date(bar.to));
}
