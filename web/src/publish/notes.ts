import { i18n, t, tValue } from '../lib/i18n.svelte';
import { formatNumber } from '../lib/format';

/** The server's notes on fields that are left out, in English as it sends them, and the key of our words for each. */
export const notes: Record<string, string> = {
  'plugin code is installed from its source, never from a pack': 'plugin_code',
  'what plugins stored while running; it may hold private data': 'plugin_data',
  'files that people sent': 'sent_files',
  'pictures of knowledge bases': 'kb_pictures',
  'private chats with people': 'chats',
  'temporary files': 'temporary',
  'logs; they may hold private data': 'logs',
  'older backups': 'backups',
  'templates for pictures of texts': 'picture_templates',
  "the bot's own web pages": 'web_pages',
  'installed libraries': 'libraries',
  'documents of knowledge bases': 'kb_documents',
  'files of skills without a SKILL.md': 'skill_files',
  'a file among the configurations whose meaning is not known': 'unknown_config',
  'who talked to the bot': 'talked',
  'keys to this bot': 'bot_keys',
  'choices of single chats; switched-off plugins and names of profiles were read from them': 'chat_choices',
  'reminders and tasks of single chats': 'reminders',
  statistics: 'statistics',
  'renamed or disabled commands; set them again after the installation': 'commands',
  'worked out by the bot itself': 'worked_out',
  "not part of a bot's setup": 'not_setup',
  "the login and address of this bot's dashboard": 'dashboard',
  'accounts of people who run or use this bot; whoever installs the pack has other ones': 'accounts',
  'the same persona is taken from another file already': 'same_persona',
  'settings of a plugin that is not installed any more': 'gone_plugin',
  'documents may be private or copyrighted; refill the knowledge base after the installation': 'kb_anew',
  'scripts and other files of a skill are listed by name; their content does not travel in a profile pack': 'skill_scripts',
};

/** As drafts of before have it. */
const earlier: [string, string] = ['fill the knowledge base anew', 'refill the knowledge base'];

const counted = /^(.*) \((records|files): (\d+)(?:, ([^)]*))?\)$/s;

/** A note in the reader's language; one that we have no words for stays as the server wrote it, in English. */
export function noteText(note: string): { text: string; lang?: 'en' } {
  const [, found = note, what, count, size] = counted.exec(note) ?? [];
  const said = found.replace(...earlier);
  const key = Object.hasOwn(notes, said) ? notes[said]! : undefined;
  if (!key) return { text: note, lang: 'en' };
  const words = tValue('note', key);
  if (!what) return { text: words };
  const amount = t(what === 'files' ? 'amount.files' : 'amount.records', { count: Number(count), shown: formatNumber(Number(count), i18n.locale) });
  return { text: t('amount.after', { words, amount: size ? `${amount}, ${size}` : amount }) };
}
