import { asApiError, type ApiError } from './errors';

export interface Slice<T> {
  items: T[];
  cursor: string;
}

/** A list that comes in pages: what is here, whether more is coming, what went wrong. */
export class Pager<T> {
  items = $state.raw<T[]>([]);
  cursor = $state('');
  busy = $state<'first' | 'again' | 'more' | ''>('first');
  failure = $state.raw<ApiError>();

  #fetch: (cursor: string) => Promise<Slice<T>>;
  #round = 0;

  constructor(fetch: (cursor: string) => Promise<Slice<T>>) {
    this.#fetch = fetch;
  }

  load = (): Promise<void> => this.#run(this.items.length > 0 ? 'again' : 'first', this.#fetch, '');

  more = (): Promise<void> => this.#run('more', this.#fetch, this.cursor);

  /** The first page from another source, as from a refresh route. */
  reload(from: () => Promise<Slice<T>>): Promise<void> {
    return this.#run('again', from, '');
  }

  async #run(busy: 'first' | 'again' | 'more', fetch: (cursor: string) => Promise<Slice<T>>, cursor: string): Promise<void> {
    const round = ++this.#round;
    this.busy = busy;
    this.failure = undefined;
    try {
      const slice = await fetch(cursor);
      if (round !== this.#round) return;
      this.items = busy === 'more' ? [...this.items, ...slice.items] : slice.items;
      this.cursor = slice.cursor;
    } catch (error) {
      if (round !== this.#round) return;
      this.failure = asApiError(error);
    }
    this.busy = '';
  }
}
