import { addMessages } from '../lib/i18n.svelte';

/** What would make each finding harmless: words that only whoever has findings needs. */
const messages = {
  'en-US': () => import('../locales/finding.en-US.json'),
  'zh-CN': () => import('../locales/finding.zh-CN.json'),
  'ja-JP': () => import('../locales/finding.ja-JP.json'),
};

let added: Promise<void> | undefined;

/** Fetches the words once. */
export function loadAdvice(): Promise<void> {
  return (added ??= addMessages(messages));
}
