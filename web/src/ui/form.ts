import { createContext } from 'svelte';
import type { SvelteMap } from 'svelte/reactivity';

/** What a form has found wrong, by the control or the group of choices. */
export const [problemsHere, setProblems, inForm] = createContext<SvelteMap<Element, string>>();
