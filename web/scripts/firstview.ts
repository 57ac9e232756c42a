import { readFileSync } from 'node:fs';

/** What a surface shows first, whoever comes: the keys of its heading and of the sentence below, if there is one. */
const views: Record<string, [string, string?]> = {
  home: ['home.heading', 'home.intro'],
  market: ['market.heading', 'market.intro'],
  member: ['view.installations', 'installed.intro'],
  learn: ['learn.view.today', 'learn.intro'],
  runtime: ['runtime.view.now', 'runtime.intro'],
  console: ['console.title', 'console.signInText'],
};
const locales = ['en-US', 'zh-CN', 'ja-JP'];
const wordsOf = (name: string): Record<string, string> => JSON.parse(readFileSync(new URL(`../src/locales/${name}.json`, import.meta.url), 'utf8'));
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** One line for each language, as internal/httpapi/pages.go looks for them. */
export function firstViews(surface: string): string {
  const view = views[surface];
  if (!view) return '';
  const lines = locales.map((locale) => {
    const own = surface === 'home' || surface === 'market' ? {} : wordsOf(`${surface}.${locale}`);
    const words = { ...wordsOf(locale), ...own };
    const [heading, below] = view.map((key) => key && words[key]);
    if (!heading) throw new Error(`${locale} has no heading for ${surface}`);
    return `      <div class="first-view ${surface}" data-language="${locale}" lang="${locale}"><div class="page"><h1>${escaped(heading)}</h1>${below ? `<p class="soft">${escaped(below)}</p>` : ''}</div></div>\n`;
  });
  return `\n${lines.join('')}    `;
}
