import { addressesOf } from '../lib/views';

export const views = ['today', 'map', 'notes', 'progress', 'strategy', 'note', 'proposals'] as const;
export type View = (typeof views)[number];

/** A concept goes along to where it is shown or studied. */
export const addresses = addressesOf('/learn', views, 'concept');
export const { parse: parseView, params: viewParams, href: viewHref } = addresses;

/** The views that stand in the menu; a note and the proposed questions are come to from them. */
export const menu = views.filter((view) => view !== 'note' && view !== 'proposals');

/** A note, perhaps at one of its places. */
export function noteParams(documentId: string, place = ''): URLSearchParams {
  return new URLSearchParams({ view: 'note', note: documentId, ...(place ? { place } : {}) });
}

export function noteHref(documentId: string, place = ''): string {
  return `/learn?${noteParams(documentId, place).toString()}`;
}
