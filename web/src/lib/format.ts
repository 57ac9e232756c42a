/** Numbers, dates and durations for people, by Intl. Pure: the locale and the present are given. */

/** Making a formatter costs a hundred times what using it does, and a long list uses the same few. */
function kept<O, F>(make: (locale: string, options: O) => F): (locale: string, options: O) => F {
  const formats = new Map<string, F>();
  return (locale, options) => {
    const key = locale + JSON.stringify(options);
    const format = formats.get(key) ?? make(locale, options);
    formats.set(key, format);
    return format;
  };
}

const numbers = kept((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const dates = kept((locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
const spans = kept((locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options));
const lists = kept((locale, options: Intl.ListFormatOptions) => new Intl.ListFormat(locale, options));

export function formatNumber(value: number, locale: string): string {
  // All our languages write 1,234.5. A browser's first formatter takes a slow phone 90 ms, so short numbers go without.
  const [, sign, whole, rest = ''] = /^(-?)(\d+)(\.\d{1,3})?$/.exec(String(value)) ?? [];
  if (!whole) return numbers(locale, {}).format(value);
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ',') + rest;
}

export function formatCompact(value: number, locale: string): string {
  return numbers(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** Bytes in powers of ten, with the same signs in every language. */
export function formatBytes(bytes: number, locale: string): string {
  if (bytes < 1000) return spaced(numbers(locale, { style: 'unit', unit: 'byte', unitDisplay: 'long', maximumFractionDigits: 0 }).format(bytes));
  const units = ['kB', 'MB', 'GB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const whole = value < 10 ? 10 : 1;
  return `${formatNumber(Math.round(value * whole) / whole, locale)} ${units[unit]}`;
}

/** Our Chinese and Japanese texts keep a space between a figure and what is counted; Intl does so only sometimes. */
function spaced(text: string): string {
  return text.replace(/(\d)(?=[\u3040-\u30ff\u4e00-\u9fff])/g, '$1 ');
}

/** A share of one as whole percents, such as 87%. */
export function formatPercent(share: number, locale: string): string {
  return numbers(locale, { style: 'percent', maximumFractionDigits: 0 }).format(share);
}

/** A change of a share in percentage points with its sign, such as +4.2. */
export function formatPoints(change: number, locale: string): string {
  return numbers(locale, { signDisplay: 'exceptZero', maximumFractionDigits: 1 }).format(change * 100);
}

/** A figure with its unit, such as 12.5% or 340 ms: whole from a hundred on, else two digits after the point at most. */
export function formatFigure(value: number, unit: '' | '%' | 'ms', locale: string): string {
  const digits = { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 2 };
  if (unit === '') return numbers(locale, digits).format(value);
  return spaced(numbers(locale, { style: 'unit', unit: unit === '%' ? 'percent' : 'millisecond', unitDisplay: 'short', ...digits }).format(value));
}

export function formatMinutes(minutes: number, locale: string): string {
  return spaced(numbers(locale, { style: 'unit', unit: 'minute', unitDisplay: 'short', maximumFractionDigits: 0 }).format(minutes));
}

export function formatDayCount(days: number, locale: string): string {
  return spaced(numbers(locale, { style: 'unit', unit: 'day', unitDisplay: 'long', maximumFractionDigits: days < 10 ? 1 : 0 }).format(days));
}

/**
 * A setting as it is written in the config file, for people: durations such as 336h0m0s in the largest whole unit, counts of bytes as MiB.
 * Undefined for what reads well as it is.
 */
export function formatSetting(name: string, value: string, locale: string): string | undefined {
  const duration = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)$/.exec(value);
  if (duration) {
    const seconds = Number(duration[1] ?? 0) * 3600 + Number(duration[2] ?? 0) * 60 + Number(duration[3]);
    const [unit, size] = ([['day', 86400], ['hour', 3600], ['minute', 60]] as const).find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
    return spaced(numbers(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size));
  }
  if (/-bytes$/.test(name) && /^\d+$/.test(value)) return `${numbers(locale, { maximumFractionDigits: 1 }).format(Number(value) / 2 ** 20)} MiB`;
  return /^\d{4,}$/.test(value) ? formatNumber(Number(value), locale) : undefined;
}

export function formatDate(time: string, locale: string): string {
  return dates(locale, { dateStyle: 'medium' }).format(new Date(time));
}

export function formatDateTime(time: string, locale: string): string {
  return dates(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
}

/** To the second, for what happens one thing after another. */
export function formatMoment(time: string, locale: string): string {
  return dates(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time));
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];

/** How long ago, or how soon. From a day on days of the calendar are counted, so that "tomorrow" is the date that stands beside it. */
export function formatRelative(time: string, now: number, locale: string): string {
  let value = (new Date(time).getTime() - now) / 1000;
  const format = spans(locale, { numeric: 'auto' });
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size) return spaced(format.format(unit === 'day' ? daysBetween(now, time) : Math.trunc(value), unit));
    value /= size;
  }
  return '';
}

function daysBetween(from: number, to: string): number {
  const [first, last] = [new Date(from), new Date(to)].map((one) => Date.UTC(one.getFullYear(), one.getMonth(), one.getDate()));
  return (last! - first!) / 86_400_000;
}

/** A countdown such as 1:59:07, which reads the same in every language. */
export function formatCountdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export function formatList(values: string[], locale: string): string {
  return lists(locale, { type: 'conjunction' }).format(values);
}

/** The language without its region, but Chinese by its script: "English", "Simplified Chinese". */
export function languageName(tag: string, locale: string): string {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return new Intl.DisplayNames(locale, { type: 'language' }).of(language === 'zh' ? `${language}-${script}` : language) ?? tag;
  } catch {
    return tag;
  }
}
