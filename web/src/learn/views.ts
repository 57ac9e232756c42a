import { addressesOf } from '../lib/views';

export const views = ['today', 'map', 'notes', 'progress', 'strategy', 'note', 'proposals', 'print'] as const;
export type View = (typeof views)[number];

/** A concept goes along to where it is shown or studied. */
export const addresses = addressesOf('/learn', views, 'concept');
export const { parse: parseView, params: viewParams, href: viewHref } = addresses;

/** The views that stand in the menu; a note, the proposed questions and the sheet to print are come to from them. */
export const menu = views.filter((view) => view !== 'note' && view !== 'proposals' && view !== 'print');

/** A note, perhaps at one of its places. */
export function noteParams(documentId: string, place = ''): URLSearchParams {
  return new URLSearchParams({ view: 'note', note: documentId, ...(place ? { place } : {}) });
}

export function noteHref(documentId: string, place = ''): string {
  return `/learn?${noteParams(documentId, place).toString()}`;
}

/** Questions that a model proposes for one note. */
export function proposalParams(note: string): URLSearchParams {
  return new URLSearchParams({ view: 'proposals', note });
}

/** A sheet with the questions of a note, of a folder, or of everything. */
export function printParams(note = '', folder = ''): URLSearchParams {
  return new URLSearchParams({ view: 'print', ...(note ? { note } : {}), ...(folder ? { folder } : {}) });
}

export function printHref(note = '', folder = ''): string {
  return `/learn?${printParams(note, folder).toString()}`;
}
