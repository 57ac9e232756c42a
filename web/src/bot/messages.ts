import { addMessages } from '../lib/i18n.svelte';

/** The words of putting things into a bot, which most visitors never need. */
const messages = {
  'en-US': () => import('../locales/bot.en-US.json'),
  'zh-CN': () => import('../locales/bot.zh-CN.json'),
  'ja-JP': () => import('../locales/bot.ja-JP.json'),
};

let added: Promise<void> | undefined;

async function withWords<P>(part: Promise<P>): Promise<P> {
  await (added ??= addMessages(messages));
  return part;
}

export const loadBotDialog = () => withWords(import('./BotDialog.svelte'));
export const loadBots = () => withWords(import('./BotsView.svelte'));
