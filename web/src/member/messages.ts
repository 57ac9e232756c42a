import type { Messages } from '../lib/i18n.svelte';

/** The words that only this surface uses, so that nobody else downloads them. */
export const messages: Messages = {
  'en-US': () => import('../locales/member.en-US.json'),
  'zh-CN': () => import('../locales/member.zh-CN.json'),
  'ja-JP': () => import('../locales/member.ja-JP.json'),
};
