import { addressesOf } from '../lib/views';

export const views = ['reviews', 'members', 'catalog', 'service', 'acts'] as const;
export type View = (typeof views)[number];

export const addresses = addressesOf('/console', views);

/** The role that opens a view; "" is everybody who is signed in. */
export const needs: Record<View, string> = { reviews: 'reviewer', members: 'operator', catalog: '', service: 'operator', acts: '' };
