import { session } from '../lib/session.svelte';
import type { Choices, Describing } from './describe';

/** A template that is being written on the page. */
export interface Written {
  form: Describing;
  prompt: string;
  options: Choices;
}

const places = 'stoa.template.';
const placeOf = () => places + session.userId;

/** What was written and not submitted. It lives in this browser, for its member alone: what another one left is removed. */
export function readWritten(): Written | undefined {
  for (const name of Object.keys(localStorage)) if (name.startsWith(places) && name !== placeOf()) localStorage.removeItem(name);
  try {
    return (JSON.parse(localStorage.getItem(placeOf()) ?? 'null') as Written | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it; tells whether the browser could. */
export function keepWritten(written: Written | undefined): boolean {
  try {
    if (written) localStorage.setItem(placeOf(), JSON.stringify(written));
    else localStorage.removeItem(placeOf());
    return true;
  } catch {
    return false;
  }
}
