import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The expressions of the last column of docs/glossary.md, in every language. */
function rejected(): string[] {
  const rows = readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 5 && cells[4] !== 'not' && !cells[4]!.startsWith('---'));
  return rows.flatMap((cells) => cells[4]!.split(',')).map((text) => text.trim()).filter(Boolean);
}

const expressions = rejected();
const latin = new RegExp(`\\b(${expressions.filter((text) => /^[\x20-\x7e]+$/.test(text)).join('|')})\\b`, 'i');
const han = expressions.filter((text) => !/^[\x20-\x7e]+$/.test(text));

test('the glossary rejects what the review of the product complained about', () => {
  expect(expressions.length).toBeGreaterThan(40);
  for (const bad of ['Mend this first', 'Plan anew', 'Circles broken', 'Half within']) expect(bad).toMatch(latin);
  for (const bad of ['会员', '学堂', '九割', '受信者']) expect(han).toContain(bad);
  expect('Recommended').not.toMatch(latin);
});

const folder = new URL('./', import.meta.url);
test.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s speaks the glossary', (name) => {
  const messages = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, string>;
  const wrong = Object.entries(messages).filter(([, text]) => latin.test(text) || han.some((expression) => text.includes(expression)));
  expect(wrong).toEqual([]);
});

test('spelling of units is the same in all languages', () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    expect(readFileSync(new URL(name, folder), 'utf8')).not.toMatch(/\d ?KB\b/);
  }
});
