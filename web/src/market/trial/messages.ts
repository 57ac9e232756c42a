import { addMessages } from '../../lib/i18n.svelte';

/** The words of a trial, which most visitors never need. */
const messages = {
  'en-US': () => import('../../locales/trial.en-US.json'),
  'zh-CN': () => import('../../locales/trial.zh-CN.json'),
  'ja-JP': () => import('../../locales/trial.ja-JP.json'),
};

let added: Promise<void> | undefined;

/** The part of the page that holds conversations, with its words. */
export async function loadTrial() {
  const [part] = await Promise.all([import('./TrialChat.svelte'), (added ??= addMessages(messages))]);
  return part;
}
