import { addMessages } from '../../lib/i18n.svelte';

/** The words of what is below the sessions on the account page. */
const messages = {
  'en-US': () => import('../../locales/account.en-US.json'),
  'zh-CN': () => import('../../locales/account.zh-CN.json'),
  'ja-JP': () => import('../../locales/account.ja-JP.json'),
};

let added: Promise<void> | undefined;

/** That part of the page, with its words. */
export async function loadAccount() {
  const [part] = await Promise.all([import('./AccountMore.svelte'), (added ??= addMessages(messages))]);
  return part;
}
