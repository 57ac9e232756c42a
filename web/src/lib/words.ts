import type { ApiError } from './errors';
import { tValue } from './i18n.svelte';

/** Our words for an error code, or the server's own message. */
export function errorText(error: ApiError): string {
  const words = tValue('error', error.code);
  return words === error.code && error.message ? error.message : words;
}

/** Our words for the value of a filter or fact; tags and names are the authors' own words. */
export function filterValue(name: string, value: string): string {
  return name === 'tag' || name === 'maintainer' ? value : tValue(name, value);
}
