import { expect, test } from 'vitest';
import { parseView, viewHref, views } from './views';

test.each(views)('%s has an address of its own', (view) => {
  expect(parseView(new URL(viewHref(view), 'http://stoa').searchParams)).toBe(view);
});

test('an unknown section is the first one', () => expect(parseView(new URLSearchParams('view=admin'))).toBe('installations'));
