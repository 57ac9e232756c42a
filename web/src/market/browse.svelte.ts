import { isAbort } from '../lib/api';
import { asApiError, type ApiError } from '../lib/errors';
import { afterPress } from '../lib/press';
import type { Facets, Item } from '../lib/types';
import { itemId } from '../lib/types';
import { fetchPage } from './catalog';
import type { ListState } from './state';

/** The list behind the page: what is shown, what is being fetched, what failed. */
export class Browse {
  items = $state.raw<Item[]>([]);
  total = $state(0);
  totalIsLowerBound = $state(false);
  /** The words that were searched for beside those that were typed. */
  corrected = $state('');
  facets = $state.raw<Facets>({});
  cursor = $state('');
  /** first: nothing to show yet; again: the old list stays, dimmed; more: another page is on its way. */
  busy = $state<'first' | 'again' | 'more' | ''>('first');
  failure = $state.raw<ApiError>();

  #list?: ListState;
  #locale = '';
  #abort = new AbortController();

  async load(list: ListState, locale: string): Promise<void> {
    const sameKind = this.#list?.kind === list.kind;
    this.#list = list;
    this.#locale = locale;
    await this.#fetch(sameKind && this.items.length > 0 ? 'again' : 'first');
  }

  retry = (): Promise<void> => this.#fetch(this.items.length > 0 ? 'again' : 'first');

  more = (): Promise<void> => this.#fetch('more');

  async #fetch(busy: 'first' | 'again' | 'more'): Promise<void> {
    if (!this.#list) return;
    this.#abort.abort();
    const abort = (this.#abort = new AbortController());
    this.busy = busy;
    this.failure = undefined;
    if (busy === 'first') this.items = [];
    try {
      const cursor = busy === 'more' ? this.cursor : undefined;
      const page = await fetchPage(this.#list, { locale: this.#locale, cursor, signal: abort.signal });
      await new Promise<void>(afterPress);
      if (abort.signal.aborted) return;
      this.items = busy === 'more' ? this.#joined(page.items) : page.items;
      this.total = page.total;
      this.totalIsLowerBound = page.totalIsLowerBound;
      this.corrected = page.corrected;
      this.cursor = page.nextCursor;
      if (page.facets) this.facets = page.facets;
    } catch (error) {
      if (isAbort(error)) return;
      this.failure = asApiError(error);
    }
    this.busy = '';
  }

  /** An item can move between two pages while somebody installs it; it is shown once. */
  #joined(next: Item[]): Item[] {
    const seen = new Set(this.items.map(itemId));
    return [...this.items, ...next.filter((item) => !seen.has(itemId(item)))];
  }
}
