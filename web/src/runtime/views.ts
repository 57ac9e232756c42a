import { addressesOf } from '../lib/views';

export const views = ['now', 'quality', 'requests'] as const;
export type View = (typeof views)[number];

/** A request id goes along to where it is looked up. */
export const addresses = addressesOf('/runtime', views, 'request');
export const { parse: parseView, params: viewParams, href: viewHref } = addresses;
