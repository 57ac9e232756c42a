import { loadSubmissions, loadUploadCenter } from '../publish/load';
import type { Component } from 'svelte';
import { loadInstallations } from '../member/load';
import { needs } from '../member/views';

/** The places in the market beside the catalog. The member's own have the names of the member console. */
export const places = ['insights', 'installations', 'submissions', 'upload'] as const;
export type Place = (typeof places)[number];

/** Any of these operations opens the place. */
export const placeNeeds: Record<Place, string[]> = {
  insights: ['profile_pack.catalog.read'],
  installations: needs.installations,
  submissions: needs.submissions,
  upload: needs.upload,
};

export const loadPlace: Record<Place, () => Promise<{ default: Component }>> = {
  insights: () => import('./Insights.svelte'),
  installations: loadInstallations,
  submissions: loadSubmissions,
  upload: loadUploadCenter,
};

export function parsePlace(params: URLSearchParams): Place | undefined {
  return places.find((name) => name === params.get('view'));
}
