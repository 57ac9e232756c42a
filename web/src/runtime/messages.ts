import type { Messages } from '../lib/i18n.svelte';

/** The words that only this surface uses, so that nobody else downloads them. */
export const messages: Messages = {
  'en-US': () => import('../locales/runtime.en-US.json'),
  'zh-CN': () => import('../locales/runtime.zh-CN.json'),
  'ja-JP': () => import('../locales/runtime.ja-JP.json'),
};
