import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const parts = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.svelte'));
const holding = (pattern: RegExp) => parts.filter((name) => pattern.test(readFileSync(new URL(name, root), 'utf8')));

test('every form is ours, so that what is wrong is said where it is', () => {
  expect(parts.length).toBeGreaterThan(100);
  expect(holding(/<form[\s>]/)).toEqual(['ui/Form.svelte', 'ui/SearchField.svelte']);
});

test('every list to choose from is ours', () => expect(holding(/<select[\s>]/)).toEqual([]));
