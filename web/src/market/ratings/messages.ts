import { addMessages } from '../../lib/i18n.svelte';

/** The words of ratings, which come with their part of an item's page. */
const messages = {
  'en-US': () => import('../../locales/ratings.en-US.json'),
  'zh-CN': () => import('../../locales/ratings.zh-CN.json'),
  'ja-JP': () => import('../../locales/ratings.ja-JP.json'),
};

let added: Promise<void> | undefined;

export async function loadRatings() {
  const [part] = await Promise.all([import('./Ratings.svelte'), (added ??= addMessages(messages))]);
  return part;
}
