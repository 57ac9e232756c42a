import { asApiError, type ApiError } from './errors';

export interface Slice<T> {
  items: T[];
  cursor: string;
}

/** As many requests are worth making to keep somebody's place. */
const mostPages = 10;

/** A list that comes in pages: what is here, whether more is coming, what went wrong. */
export class Pager<T> {
  items = $state.raw<T[]>([]);
  cursor = $state('');
  busy = $state<'first' | 'again' | 'more' | ''>('first');
  failure = $state.raw<ApiError>();

  #fetch: (cursor: string) => Promise<Slice<T>>;
  #key?: (item: T) => string;
  #round = 0;
  #pages = 0;

  /** With a key, rows are told apart: a very long list then keeps what of it is not worth asking for again. */
  constructor(fetch: (cursor: string) => Promise<Slice<T>>, key?: (item: T) => string) {
    this.#fetch = fetch;
    this.#key = key;
  }

  /** The list as it is now. Who has paged on keeps the place: as many pages come again, up to a bound. */
  load = (): Promise<void> => this.#run(this.items.length > 0 ? 'again' : 'first', () => this.#again(), '');

  /** As load, where every row says something else now, as in another language: none of them is kept. */
  afresh = (): Promise<void> => this.#run(this.items.length > 0 ? 'again' : 'first', () => this.#again(true), '');

  #again = async (afresh = false): Promise<Slice<T> & { pages: number }> => {
    if (this.#pages > mostPages && this.#key && !afresh) return this.#headAgain(this.#key);
    const pages = this.#pages > mostPages ? 1 : Math.max(1, this.#pages);
    let whole = await this.#fetch('');
    for (let page = 1; page < pages && whole.cursor; page++) {
      const next = await this.#fetch(whole.cursor);
      whole = { items: [...whole.items, ...next.items], cursor: next.cursor };
    }
    return { ...whole, pages };
  };

  /** What changes comes to the top: the first page as it is now, and below it the rest as it was. */
  async #headAgain(key: (item: T) => string): Promise<Slice<T> & { pages: number }> {
    const head = await this.#fetch('');
    if (!head.cursor) return { ...head, pages: 1 };
    const fresh = new Set(head.items.map(key));
    return { items: [...head.items, ...this.items.filter((item) => !fresh.has(key(item)))], cursor: this.cursor, pages: this.#pages };
  }

  /** One row is known to be gone. */
  drop(item: T): void {
    this.items = this.items.filter((other) => other !== item);
  }

  /** Nothing but the first page is shown, so that fetching it again moves nothing. */
  get short(): boolean {
    return this.#pages <= 1;
  }

  /** Looks again without a sign of it; what somebody asks for meanwhile goes first, and a failure is for the next time. */
  quiet = async (): Promise<void> => {
    if (this.busy !== '' || this.failure) return;
    const round = this.#round;
    try {
      const slice = await this.#again();
      if (round !== this.#round) return;
      this.items = slice.items;
      this.cursor = slice.cursor;
      this.#pages = slice.pages;
    } catch {
      // The list stays as it was.
    }
  };

  more = async (): Promise<void> => {
    if (this.busy === '') await this.#run('more', this.#fetch, this.cursor);
  };

  /** The first page from another source, as from a refresh route. */
  reload(from: () => Promise<Slice<T>>): Promise<void> {
    return this.#run('again', from, '');
  }

  async #run(busy: 'first' | 'again' | 'more', fetch: (cursor: string) => Promise<Slice<T> & { pages?: number }>, cursor: string): Promise<void> {
    const round = ++this.#round;
    this.busy = busy;
    this.failure = undefined;
    try {
      const slice = await fetch(cursor);
      if (round !== this.#round) return;
      this.items = busy === 'more' ? [...this.items, ...slice.items] : slice.items;
      this.#pages = slice.pages ?? (busy === 'more' ? this.#pages + 1 : 1);
      this.cursor = slice.cursor;
    } catch (error) {
      if (round !== this.#round) return;
      this.failure = asApiError(error);
    }
    this.busy = '';
  }
}
