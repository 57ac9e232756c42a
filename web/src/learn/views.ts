import { addressesOf } from '../lib/views';

export const views = ['today', 'map', 'notes', 'progress', 'strategy'] as const;
export type View = (typeof views)[number];

/** A concept goes along to where it is shown or studied. */
export const addresses = addressesOf('/learn', views, 'concept');
export const { parse: parseView, params: viewParams, href: viewHref } = addresses;
