import type { Messages } from '../lib/i18n.svelte';

/** The words that only this surface uses, so that nobody else downloads them. */
export const messages: Messages = {
  'en-US': () => import('../locales/learn.en-US.json'),
  'zh-CN': () => import('../locales/learn.zh-CN.json'),
  'ja-JP': () => import('../locales/learn.ja-JP.json'),
};
