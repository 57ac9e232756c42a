import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chooseLocale } from '../lib/i18n.svelte';
import accountEnglish from './account.en-US.json';
import accountJapanese from './account.ja-JP.json';
import accountChinese from './account.zh-CN.json';
import botEnglish from './bot.en-US.json';
import botJapanese from './bot.ja-JP.json';
import botChinese from './bot.zh-CN.json';
import consoleEnglish from './console.en-US.json';
import consoleJapanese from './console.ja-JP.json';
import consoleChinese from './console.zh-CN.json';
import english from './en-US.json';
import findingEnglish from './finding.en-US.json';
import findingJapanese from './finding.ja-JP.json';
import findingChinese from './finding.zh-CN.json';
import japanese from './ja-JP.json';
import learnEnglish from './learn.en-US.json';
import learnJapanese from './learn.ja-JP.json';
import learnChinese from './learn.zh-CN.json';
import memberEnglish from './member.en-US.json';
import memberJapanese from './member.ja-JP.json';
import memberChinese from './member.zh-CN.json';
import publishEnglish from './publish.en-US.json';
import publishJapanese from './publish.ja-JP.json';
import publishChinese from './publish.zh-CN.json';
import runtimeEnglish from './runtime.en-US.json';
import runtimeJapanese from './runtime.ja-JP.json';
import runtimeChinese from './runtime.zh-CN.json';
import ratingsEnglish from './ratings.en-US.json';
import ratingsJapanese from './ratings.ja-JP.json';
import ratingsChinese from './ratings.zh-CN.json';
import trialEnglish from './trial.en-US.json';
import trialJapanese from './trial.ja-JP.json';
import trialChinese from './trial.zh-CN.json';
import chinese from './zh-CN.json';

const source: Record<string, string> = { ...english, ...learnEnglish, ...runtimeEnglish, ...consoleEnglish, ...findingEnglish, ...trialEnglish, ...ratingsEnglish, ...accountEnglish, ...memberEnglish, ...publishEnglish, ...botEnglish };
const all: Record<string, Record<string, string>> = {
  'en-US': source,
  'zh-CN': { ...chinese, ...learnChinese, ...runtimeChinese, ...consoleChinese, ...findingChinese, ...trialChinese, ...ratingsChinese, ...accountChinese, ...memberChinese, ...publishChinese, ...botChinese },
  'ja-JP': { ...japanese, ...learnJapanese, ...runtimeJapanese, ...consoleJapanese, ...findingJapanese, ...trialJapanese, ...ratingsJapanese, ...accountJapanese, ...memberJapanese, ...publishJapanese, ...botJapanese },
};
const base = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '');

/** Keys with plural forms, and the forms each has. */
function groups(messages: Record<string, string>): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const key of Object.keys(source)) if (key.endsWith('_one')) found[base(key)] = Object.keys(messages).filter((other) => base(other) === base(key));
  return found;
}

const plurals = new Set(Object.keys(groups(source)));
const plain = (messages: Record<string, string>) => Object.keys(messages).map((key) => (key.endsWith('_one') || plurals.has(base(key)) ? base(key) : key));
const slots = (text: string) => [...new Set([...text.matchAll(/\{\{(\w+)/g)].map((match) => match[1]))].sort();

describe.each(Object.keys(all))('%s', (locale) => {
  const messages = all[locale]!;

  test('says everything that English says', () => {
    expect([...new Set(plain(messages))].sort()).toEqual([...new Set(plain(source))].sort());
  });

  test('has every plural form its language needs', () => {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    for (const [key, found] of Object.entries(groups(messages))) {
      expect(found.sort(), key).toEqual(forms.map((form) => `${key}_${form}`).sort());
    }
  });

  test('fills the same slots as English', () => {
    for (const [key, text] of Object.entries(messages)) {
      const original = source[key] ?? source[`${base(key)}_other`]!;
      expect(slots(text), key).toEqual(slots(original));
    }
  });

  test('has no empty message', () => expect(Object.values(messages).every((text) => text.trim() !== '')).toBe(true));

  test('never promises that something is safe', () => {
    const said = Object.entries(messages).filter(([key]) => !/^warning_flag\./.test(key)).map(([, text]) => text);
    expect(said.filter((text) => /\bsafe\b|安全|安心/i.test(text))).toEqual([]);
  });
});

test('what one surface says alone is said in no other place', () => {
  expect(Object.keys(learnEnglish).filter((key) => key in english || key in runtimeEnglish)).toEqual([]);
  expect(Object.keys(runtimeEnglish).filter((key) => key in english)).toEqual([]);
});

test('every message is used somewhere', () => {
  const root = new URL('../', import.meta.url);
  const code = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(svelte|ts)$/.test(name) && !/\.test\.ts$|gen\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, root), 'utf8'))
    .join('\n');
  const named = new Set([...code.matchAll(/'([\w.-]+)'/g)].map(([, key]) => key));
  // Chosen by a value: t(`risk.${level}`), tValue('section', name).
  const begun = new Set([...code.matchAll(/`([\w.-]+)\.\$\{|(?:tValue|filterValue)\('([\w.-]+)'/g)].map(([, template, value]) => template ?? value));
  const unused = [...new Set(plain(source))].filter((key) => {
    const parts = key.split('.');
    return !named.has(key) && !parts.some((_, index) => begun.has(parts.slice(0, index).join('.')));
  });
  const byFilter = ['risk_level', 'pack_type', 'category', 'review_label', 'warning_flag', 'source_channel'];
  expect(unused.filter((key) => !byFilter.includes(key.split('.')[0]!))).toEqual([]);
});

describe('chooseLocale', () => {
  test.each([
    [['ja'], 'ja-JP'],
    [['zh-TW', 'en'], 'zh-CN'],
    [['fr-FR', 'zh-CN'], 'zh-CN'],
    [['fr'], 'en-US'],
    [[], 'en-US'],
  ])('%j → %s', (wanted, locale) => expect(chooseLocale(wanted)).toBe(locale));
});

test('every rule that can be shown says what would make its finding harmless', () => {
  const shown = Object.keys(english).filter((key) => key.startsWith('warning_flag.')).map((key) => key.slice('warning_flag.'.length));
  const advised = Object.keys(findingEnglish).filter((key) => key.startsWith('finding_advice.')).map((key) => key.slice('finding_advice.'.length));
  expect(advised.sort()).toEqual(shown.filter((rule) => rule !== 'prompt_injection_detected').sort());
});
