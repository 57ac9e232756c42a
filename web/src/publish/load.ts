import { addMessages } from '../lib/i18n.svelte';

/** The words of publishing, which come with its parts. */
const messages = {
  'en-US': () => import('../locales/publish.en-US.json'),
  'zh-CN': () => import('../locales/publish.zh-CN.json'),
  'ja-JP': () => import('../locales/publish.ja-JP.json'),
};

let added: Promise<void> | undefined;

async function withWords<P>(part: Promise<P>): Promise<P> {
  await (added ??= addMessages(messages));
  return part;
}

export const loadHost = () => withWords(import('./Host.svelte'));
export const loadUploadCenter = () => withWords(import('./UploadCenter.svelte'));
export const loadSubmissions = () => withWords(import('./Submissions.svelte'));
