import { session } from './session.svelte';

let owner = '';
const shelf = new Map<string, unknown>();

/**
 * What a view left behind when it was last gone from, so that who comes back finds the place; else what `make` gives.
 * It is for the same person alone: with another one, or none, the shelf is empty.
 */
export function kept<T>(name: string, make: () => T): T {
  if (owner !== session.who) shelf.clear();
  owner = session.who;
  if (!shelf.has(name)) shelf.set(name, make());
  return shelf.get(name) as T;
}
