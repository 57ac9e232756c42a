import { tick } from 'svelte';

/** The address as state. Pages read `router.params` and write by `go`; back and forward come in by popstate. */
let search = $state.raw(location.search);

interface Entry {
  scroll: number;
  /** The entry before this one is a page of ours, so going back stays here. */
  inner: boolean;
}

export const router = {
  get params(): URLSearchParams {
    return new URLSearchParams(search);
  },
};

export function startRouter(): void {
  // The page restores its own place: the list may not be there yet when the browser would try.
  history.scrollRestoration = 'manual';
  addEventListener('popstate', (event) => {
    search = location.search;
    const entry = event.state as Entry | null;
    void settle(entry?.scroll ?? 0);
  });
  // The place outlives the page: back from the other surface, and after loading again.
  addEventListener('pagehide', () => history.replaceState({ inner: cameFromInside(), scroll: scrollY } satisfies Entry, ''));
  const entry = history.state as Entry | null;
  if (entry?.scroll) void settle(entry.scroll);
}

export interface GoOptions {
  /** Replace the current entry, as typing in a search field does. */
  replace?: boolean;
  /** Stay where the page is scrolled to. */
  keepScroll?: boolean;
}

export function go(params: URLSearchParams, options: GoOptions = {}): void {
  const query = params.toString();
  const address = location.pathname + (query ? `?${query}` : '');
  if (address === location.pathname + location.search) return;
  if (options.replace) {
    history.replaceState(history.state, '', address);
  } else {
    history.replaceState({ inner: cameFromInside(), scroll: scrollY } satisfies Entry, '');
    history.pushState({ inner: true, scroll: 0 } satisfies Entry, '', address);
  }
  search = query ? `?${query}` : '';
  if (!options.keepScroll) void settle(0);
}

function cameFromInside(): boolean {
  return (history.state as Entry | null)?.inner ?? false;
}

let stopWaiting = () => {};

/** Scrolls to the place, as soon as the page is long enough for it; unless somebody goes elsewhere meanwhile. */
async function settle(scroll: number): Promise<void> {
  stopWaiting();
  await tick();
  scrollTo({ top: scroll, behavior: 'instant' });
  if (scrollY >= scroll - 1) return;
  const over = new AbortController();
  stopWaiting = () => over.abort();
  const grown = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < scroll) return;
    scrollTo({ top: scroll, behavior: 'instant' });
    stopWaiting();
  });
  grown.observe(document.body);
  over.signal.addEventListener('abort', () => grown.disconnect());
  for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown']) addEventListener(act, stopWaiting, { signal: over.signal, passive: true });
}

/** A link that stays in the page goes to `params`. False for a click that asks for a new tab or a download: the browser follows it. */
export function follow(event: MouseEvent, params: URLSearchParams): boolean {
  return stays(event, () => go(params));
}

/** A link back: to the page of ours that was there before, with its place, and to `params` where there was none. */
export function followBack(event: MouseEvent, params: URLSearchParams): boolean {
  return stays(event, () => (cameFromInside() ? history.back() : go(params)));
}

function stays(event: MouseEvent, move: () => void): boolean {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  event.preventDefault();
  move();
  return true;
}
