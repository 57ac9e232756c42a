import type { Messages } from '../lib/i18n.svelte';

export const messages: Messages = {
  'en-US': () => import('../locales/console.en-US.json'),
  'zh-CN': () => import('../locales/console.zh-CN.json'),
  'ja-JP': () => import('../locales/console.ja-JP.json'),
};
