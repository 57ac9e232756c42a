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

export interface TimeTick {
  at: number;
  label: string;
}

const minute = 60_000;
const hour = 60 * minute;
const timeSteps = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day];

/**
 * Round moments of the reader's own clock between two others, a few at most. Hours are named by the time, and by the day where
 * one begins or where the reader cannot know it; longer steps by the day.
 */
export function timeTicks(from: number, to: number, locale: string, most = 6, timeZone?: string): TimeTick[] {
  const step = timeSteps.find((one) => (to - from) / one <= most - 1) ?? Math.ceil((to - from) / (most - 1));
  const offset = offsetAt(from, timeZone);
  const first = Math.ceil((from + offset) / step) * step;
  const found: number[] = [];
  for (let local = first; local - offset <= to; local += step) found.push(local - offset);
  if (found.length < 2) found.splice(0, found.length, ...(from === to ? [from] : [from, to]));
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const days = format({ month: 'short', day: 'numeric', ...(to - from > 300 * day ? { year: 'numeric' } : {}) });
  // Within some minutes two ticks would have the same name.
  const times = format({ hour: 'numeric', minute: '2-digit', ...(to - from < 5 * minute ? { second: '2-digit' } : {}) });
  let before = '';
  return found.map((at) => {
    const date = days.format(at);
    const label = step >= day || to - from > 4 * day ? date : date === before ? times.format(at) : `${date} ${times.format(at)}`;
    before = date;
    return { at, label };
  });
}

/** How far the clock there is from UTC, so that a day's ticks stand at midnight. */
function offsetAt(at: number, timeZone?: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - Math.floor(at / 1000) * 1000;
}
