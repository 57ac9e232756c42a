import { describe, expect, test } from 'vitest';
import { formatBytes, formatCompact, formatCountdown, formatList, formatNumber, formatRelative, formatSetting, languageName } from './format';

describe('formatCountdown', () => {
  test.each([
    [7200, '2:00:00'],
    [3599.2, '1:00:00'],
    [61, '1:01'],
    [0, '0:00'],
    [-5, '0:00'],
  ])('%s seconds', (seconds, text) => expect(formatCountdown(seconds)).toBe(text));
});

test.each(['en-US', 'zh-CN', 'ja-JP'])('a number is as Intl writes it: %s', (locale) => {
  const intl = new Intl.NumberFormat(locale);
  for (const value of [0, 7, -5, 999, 1000, -1000, 12345, 999999, 1000000, 1234567890, 0.5, -0.25, 6.3, 1234.125, 0.12345, 1e-7, 1e21, NaN]) {
    expect(formatNumber(value, locale)).toBe(intl.format(value));
  }
});

describe('formatRelative', () => {
  const now = Date.parse('2026-11-21T12:00:00Z'); // the test's zone is UTC
  test.each([
    ['2026-11-21T11:59:30.000Z', 'en-US', '30 seconds ago'],
    ['2026-11-21T10:00:00.000Z', 'en-US', '2 hours ago'],
    ['2026-11-20T12:00:00.000Z', 'en-US', 'yesterday'],
    ['2026-11-21T14:00:00.000Z', 'en-US', 'in 2 hours'],
    ['2026-11-22T14:00:00.000', 'en-US', 'tomorrow'],
    ['2026-11-23T01:00:00.000', 'en-US', 'in 2 days'],
    ['2026-11-19T23:00:00.000', 'ja-JP', '一昨日'],
    ['2024-11-21T12:00:00.000Z', 'ja-JP', '2 年前'],
    ['2026-11-21T11:58:00.000Z', 'zh-CN', '2 分钟前'],
  ])('%s in %s', (time, locale, text) => expect(formatRelative(time, now, locale)).toBe(text));
});

test('bytes take the unit that reads best', () => {
  expect(formatBytes(999, 'en-US')).toBe('999 bytes');
  expect(formatBytes(2345, 'en-US')).toBe('2.3 kB');
  expect(formatBytes(20_971_520, 'en-US')).toBe('21 MB');
});

test('counts and lists follow the language', () => {
  expect(formatCompact(12_345, 'en-US')).toBe('12.3K');
  expect(formatCompact(12_345, 'zh-CN')).toBe('1.2万');
  expect(formatList(['A', 'B', 'C'], 'ja-JP')).toBe('A、B、C');
});

test('a language is named without its region, Chinese by its script', () => {
  expect(languageName('en-US', 'en-US')).toBe('English');
  expect(languageName('zh-CN', 'en-US')).toBe('Simplified Chinese');
  expect(languageName('zh-TW', 'en-US')).toBe('Traditional Chinese');
  expect(languageName('not a tag', 'en-US')).toBe('not a tag');
});

describe('formatSetting', () => {
  test.each([
    ['account-grace', '336h0m0s', 'en-US', '14 days'],
    ['session', '90m0s', 'zh-CN', '90 分钟'],
    ['wait', '1h0m0s', 'ja-JP', '1 時間'],
    ['wait', '45s', 'en-US', '45 seconds'],
    ['quota.note-bytes', '67108864', 'en-US', '64 MiB'],
    ['quota.observations', '10000', 'en-US', '10,000'],
    ['quota.drafts', '100', 'en-US', undefined],
    ['listen', '127.0.0.1:8107', 'en-US', undefined],
  ])('%s: %s in %s', (name, value, locale, text) => expect(formatSetting(name, value, locale)).toBe(text));
});
