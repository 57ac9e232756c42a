import i18next from 'i18next';
import type english from '../locales/en-US.json';
import type memberWords from '../locales/member.en-US.json';
import type publishing from '../locales/publish.en-US.json';
import type owning from '../locales/account.en-US.json';
import type learning from '../locales/learn.en-US.json';
import type deciding from '../locales/console.en-US.json';
import type governing from '../locales/runtime.en-US.json';
import type finding from '../locales/finding.en-US.json';
import type rating from '../locales/ratings.en-US.json';
import type bots from '../locales/bot.en-US.json';
import type trying from '../locales/trial.en-US.json';

export const locales = ['en-US', 'zh-CN', 'ja-JP'] as const;
export type Locale = (typeof locales)[number];

/** Each language in its own words, as a reader who knows only that one looks for it. */
export const localeNames: Record<Locale, string> = { 'en-US': 'English', 'zh-CN': '简体中文', 'ja-JP': '日本語' };

type Plural = `${string}_${'one' | 'other'}`;
type Base<K extends string> = K extends `${infer B}_${'one' | 'other'}` ? B : K;
type Keys = keyof typeof english | keyof typeof learning | keyof typeof governing | keyof typeof deciding | keyof typeof finding | keyof typeof trying | keyof typeof bots | keyof typeof rating | keyof typeof publishing | keyof typeof owning | keyof typeof memberWords;
export type MessageKey = Base<Exclude<Keys, Plural>> | Base<Extract<Keys, Plural>>;

export type Messages = Record<Locale, () => Promise<{ default: Record<string, string> }>>;

const bundles: Messages[] = [
  {
    'en-US': () => import('../locales/en-US.json'),
    'zh-CN': () => import('../locales/zh-CN.json'),
    'ja-JP': () => import('../locales/ja-JP.json'),
  },
];

const storageKey = 'stoa.locale';

let current = $state<Locale>('en-US');

export const i18n = {
  get locale(): Locale {
    return current;
  },
};

/** Sentences one after another: Chinese and Japanese have no space after a full stop. */
export const sentences = (...texts: string[]): string => texts.join(current === 'en-US' ? ' ' : '');

/** The best of our locales for the languages a browser lists: exact tag first, then the language. */
export function chooseLocale(wanted: readonly string[]): Locale {
  for (const tag of wanted) {
    const exact = locales.find((locale) => locale.toLowerCase() === tag.toLowerCase());
    if (exact) return exact;
    const language = tag.split('-')[0]?.toLowerCase();
    const near = locales.find((locale) => locale.split('-')[0] === language);
    if (near) return near;
  }
  return 'en-US';
}

/** Starts with the words that every surface uses, and those of this one. */
export async function startI18n(own?: Messages): Promise<void> {
  if (own) bundles.push(own);
  const stored = localStorage.getItem(storageKey);
  await i18next.init({
    lng: 'en-US',
    fallbackLng: false,
    resources: {},
    keySeparator: false,
    nsSeparator: false,
    returnEmptyString: false,
    // Svelte escapes what it renders.
    interpolation: { escapeValue: false },
  });
  const chosen = stored ? chooseLocale([stored]) : chooseLocale(navigator.languages);
  if (stored) tellServer(chosen);
  await apply(chosen);
}

/** A page comes with its heading in the chosen language, and names the words of that one first. */
function tellServer(locale: Locale): void {
  document.cookie = `stoa_locale=${locale}; path=/; max-age=31536000; samesite=lax`;
}

/** Adds the words of a part that was fetched later. */
export async function addMessages(own: Messages): Promise<void> {
  bundles.push(own);
  await apply(current);
}

export async function setLocale(locale: Locale): Promise<void> {
  localStorage.setItem(storageKey, locale);
  tellServer(locale);
  await apply(locale);
}

async function apply(locale: Locale): Promise<void> {
  await Promise.all(
    bundles.map(async (bundle) => {
      const part = (await bundle[locale]()).default;
      i18next.addResourceBundle(locale, 'translation', part, false, true, { skipCopy: true }); // one key each, and nobody changes them
    }),
  );
  await i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
  current = locale;
}

/** A message in the current locale; a `count` chooses the plural form. Reading it in a template follows the locale switch. */
export function t(key: MessageKey, values: Record<string, string | number> = {}): string {
  void current;
  return i18next.t(key, values);
}

/** A message chosen by a value of the server, or the value itself when we have no words for it. */
/** A label before a name with the colon of the language: "Update: Ada", "更新：Ada". */
export function named(label: string, name: string): string {
  return t('text.named', { label, name });
}

export function tValue(prefix: string, value: string): string {
  void current;
  const key = `${prefix}.${value}`;
  return i18next.exists(key) ? i18next.t(key) : value;
}
