import { t, type MessageKey } from './i18n.svelte';

type Problem = Extract<MessageKey, `problem.${string}`> extends `problem.${infer P}` ? P : never;

/** What the server says is wrong with a field, in English, and our words for it; the first that fits counts. */
const patterns: [RegExp, Problem][] = [
  [/^is (missing|required)$/, 'missing'],
  [/^must be a whole number from (\S+) to (\S+)$/, 'range'],
  [/^must be a whole number$/, 'wholeNumber'],
  [/^must be true or false$/, 'boolean'],
  [/^must be a list/, 'list'],
  [/^must be an object$/, 'object'],
  [/^must be one of (.+)$/, 'oneOf'],
  [/^must be a text of at least (\d+) characters of at most (\d+) characters/, 'between'],
  [/^must have (\d+) to (\d+) characters$/, 'between'],
  [/^must be a text of at least (\d+) characters/, 'atLeast'],
  [/^must be a text of at most (\d+) characters/, 'atMost'],
  [/^must be a text without/, 'characters'],
  [/^must be a text$/, 'text'],
  [/^must not hold characters that cannot be seen$/, 'invisible'],
  [/speaks? for this server or its operator|would pass for the server/, 'official'],
  [/^is not an age recipient/, 'recipient'],
  [/^was changed since$/, 'changed'],
  [/^(does not fit the contract|must be valid UTF-8)$/, 'contract'],
];

/** A problem in the reader's language; one that we have no words for stays as the server wrote it, in English. */
export function problemText(problem: string): { text: string; lang?: 'en' } {
  for (const [pattern, name] of patterns) {
    const match = pattern.exec(problem);
    if (match) return { text: t(`problem.${name}`, { first: match[1] ?? '', second: match[2] ?? '' }) };
  }
  return { text: problem, lang: 'en' };
}
