import { createSubscriber } from 'svelte/reactivity';

/** The present, for templates: reading it re-renders once per step while something shows it. */
function ticking(step: number): { readonly now: number } {
  const subscribe = createSubscriber((update) => {
    const timer = setInterval(update, step);
    return () => clearInterval(timer);
  });
  return {
    get now() {
      subscribe();
      return Date.now();
    },
  };
}

export const seconds = ticking(1000);
export const minutes = ticking(60_000);
