import { readFileSync } from 'node:fs';

/** The words of the pages in one language, by their keys, as the pages have them: for walking a way again in another language. */
export function wordsOf(locale) {
  const read = (part) => JSON.parse(readFileSync(new URL(`../../../web/src/locales/${part}${locale}.json`, import.meta.url), 'utf8'));
  const words = Object.assign({}, ...['', 'member.', 'publish.', 'account.'].map(read));
  return (key, values = {}) => {
    const text = words[key];
    if (text === undefined) throw new Error(`${locale} has no ${key}`);
    return text.replace(/\{\{(\w+)[^}]*\}\}/g, (_, name) => values[name]);
  };
}
