import { addMessages } from '../lib/i18n.svelte';
import { messages } from './messages';

let added: Promise<void> | undefined;

/** What is installed, with its words: for a surface that does not begin with those of the member console. */
export async function loadInstallations() {
  const [part] = await Promise.all([import('./Installations.svelte'), (added ??= addMessages(messages))]);
  return part;
}
