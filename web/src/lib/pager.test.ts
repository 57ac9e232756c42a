import { describe, expect, test } from 'vitest';
import { Pager, type Slice } from './pager.svelte';

/** A list of pages of two, from `rows` as they are when asked. */
function listOf(rows: number[], key?: (row: number) => string) {
  const asked: string[] = [];
  const pager = new Pager<number>(async (cursor): Promise<Slice<number>> => {
    asked.push(cursor);
    const from = cursor ? rows.indexOf(Number(cursor)) + 1 : 0;
    const items = rows.slice(from, from + 2);
    return { items, cursor: from + 2 < rows.length ? String(items.at(-1)) : '' };
  }, key);
  return { pager, asked };
}

describe('Pager', () => {
  test('loading again keeps the pages that were asked for, and shows what has changed in them', async () => {
    const rows = [1, 2, 3, 4, 5, 6, 7];
    const { pager, asked } = listOf(rows);
    await pager.load();
    expect(pager.short).toBe(true);
    await pager.more();
    await pager.more();
    expect(pager.items).toEqual([1, 2, 3, 4, 5, 6]);
    expect(pager.short).toBe(false);
    rows.splice(rows.indexOf(4), 1);
    asked.length = 0;
    await pager.load();
    expect(pager.items).toEqual([1, 2, 3, 5, 6, 7]);
    expect(pager.cursor).toBe('');
    expect(asked).toEqual(['', '2', '5']);
  });

  test('of more pages than are worth asking for, the first comes again', async () => {
    const { pager } = listOf(Array.from({ length: 40 }, (_, index) => index));
    await pager.load();
    for (let page = 0; page < 11; page++) await pager.more();
    expect(pager.items).toHaveLength(24);
    await pager.load();
    expect(pager.items).toEqual([0, 1]);
    await pager.more();
    expect(pager.items).toEqual([0, 1, 2, 3]);
  });

  test('rows that can be told apart stay when there are very many, below the first page as it is now', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => index);
    const { pager, asked } = listOf(rows, String);
    await pager.load();
    for (let page = 0; page < 11; page++) await pager.more();
    rows.unshift(...rows.splice(7, 1));
    asked.length = 0;
    await pager.load();
    expect(asked).toEqual(['']);
    expect(pager.items).toHaveLength(24);
    expect(pager.items.slice(0, 9)).toEqual([7, 0, 1, 2, 3, 4, 5, 6, 8]);
    pager.drop(8);
    expect(pager.items).not.toContain(8);
    await pager.more();
    expect(pager.items.slice(-3)).toEqual([23, 24, 25]);
    await pager.afresh();
    expect(pager.items).toEqual([7, 0]);
  });

  test('a quiet look shows no sign, and gives way to what is asked for meanwhile', async () => {
    const rows = [1, 2, 3, 4, 5];
    const { pager } = listOf(rows);
    await pager.load();
    rows.unshift(0);
    const quiet = pager.quiet();
    expect(pager.busy).toBe('');
    await quiet;
    expect(pager.items).toEqual([0, 1]);
    await Promise.all([pager.quiet(), pager.more()]);
    expect(pager.items).toEqual([0, 1, 2, 3]);
  });

  test('a failure is said, but not that of a quiet look', async () => {
    let well = true;
    const pager = new Pager<number>(async () => {
      if (!well) throw new Error('down');
      return { items: [1], cursor: '' };
    });
    await pager.load();
    well = false;
    await pager.quiet();
    expect(pager.failure).toBeUndefined();
    await pager.load();
    expect(pager.failure).toBeDefined();
    expect(pager.items).toEqual([1]);
    expect(pager.busy).toBe('');
  });
});
