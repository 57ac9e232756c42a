import type { Range } from '@tanstack/virtual-core';

/** So many rows cost less than keeping only some of them would; the browser's own search finds them all. */
export const wholeUpTo = 60;

/** Rows beyond each edge of the window: what a turn of the wheel brings is there already. */
export const overscan = 8;

/** What is known of how tall rows are; kept by the view, it outlives the list. */
export class Heights {
  /** The width of the list that they were measured at, in pixels; 0 before there was one. */
  width = 0;
  /** How tall most rows are. */
  typical = 0;
  of = new Map<string, number>();
}

export interface Window {
  /** Every row, as for paper. */
  all: boolean;
  /** The row that has, or last had, the focus; -1 for none. */
  held: number;
}

/**
 * The rows to have in the page, in order. The row with the focus stays however far the list is scrolled, and so do the
 * rows beside it: Tab goes on from there, and finds the next one.
 */
export function rowsOf({ startIndex, endIndex, count }: Pick<Range, 'startIndex' | 'endIndex' | 'count'>, { all, held }: Window): number[] {
  if (all || count <= wholeUpTo) return Array.from({ length: count }, (_, index) => index);
  const rows = new Set<number>();
  for (let index = Math.max(0, startIndex - overscan); index <= Math.min(count - 1, endIndex + overscan); index++) rows.add(index);
  if (held >= 0) for (const index of [held - 1, held, held + 1]) if (index >= 0 && index < count) rows.add(index);
  return [...rows].sort((a, b) => a - b);
}
