import { session } from './session.svelte';

let owner = '';
const values = new Map<string, unknown>();

/**
 * What a view left behind when it was last gone from, so that who comes back finds the place; else what `make` gives.
 * It is for the same person alone: with another one, or none, nothing is kept.
 */
export function kept<T>(name: string, make: () => T): T {
  if (owner !== session.who) values.clear();
  owner = session.who;
  if (!values.has(name)) values.set(name, make());
  return values.get(name) as T;
}
