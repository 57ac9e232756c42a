import type { ApiError } from './errors';
import { t, tValue } from './i18n.svelte';

/** Our words for an error code, or the server's own message. */
export function errorText(error: ApiError): string {
  const words = tValue('error', error.code);
  return words === error.code && error.message ? error.message : words;
}

/** Codes that stand for many problems: the server's own message, which is in English, says which one it is. */
const manifold = /^(invalid_(request|mode|package_payload|profile_\w+|redaction_path)|profile_pack_incompatible)$/;

/** What the server said beyond our words, where that tells more. */
export function errorDetail(error: ApiError): string {
  return manifold.test(error.code) && error.details.length === 0 ? error.message : '';
}

/** Our words for the value of a filter or fact; tags and names are the authors' own words. */
export function filterValue(name: string, value: string): string {
  return name === 'tag' || name === 'maintainer' || name === 'author' ? value : tValue(name, value);
}

/** What an item reaches and another does not, such as "host api.example.org", in our words. */
export function gainText(gain: string): string {
  const at = gain.indexOf(' ');
  const [kind, what] = [gain.slice(0, at), gain.slice(at + 1)];
  if (kind === 'capability') return tValue('reach.can', what);
  return kind === 'more' ? t('reach.cut') : t(`reach.gain.${kind as 'host' | 'plugin' | 'variable'}`, { what });
}
