import type { Component } from 'svelte';

/** The member's own places in the market, beside the catalog. The names are the member console's. */
export const places = ['installations', 'submissions', 'upload'] as const;
export type Place = (typeof places)[number];

/** Any of these operations opens the place. */
export const placeNeeds: Record<Place, string[]> = {
  installations: ['member.installations.read'],
  submissions: ['member.submissions.read', 'member.profile_pack.submissions.read'],
  upload: ['templates.submit', 'member.profile_pack.imports.write'],
};

export const loadPlace: Record<Place, () => Promise<{ default: Component }>> = {
  installations: () => import('../member/Installations.svelte'),
  submissions: () => import('../publish/Submissions.svelte'),
  upload: () => import('../publish/UploadCenter.svelte'),
};

export function parsePlace(params: URLSearchParams): Place | undefined {
  return places.find((name) => name === params.get('view'));
}
