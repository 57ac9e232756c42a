import type { Component } from 'svelte';
import { afterPress } from '../lib/press';

export interface Suggestion {
  key: string;
  title: string;
  /** What kind of thing it is, in a word or two. */
  note: string;
  icon: Component<{ size?: number | string }>;
  lang: string;
  choose: () => void;
}

/** What a search field offers below it: which are shown, which one the arrow keys stand on. */
export class Suggestions {
  items = $state.raw<Suggestion[]>([]);
  open = $state(false);
  /** -1: the keyboard is in the text. */
  active = $state(-1);
  /** An answer has come for the words in the field, even if it is an empty one. */
  answered = $state(false);

  #find: (query: string, signal: AbortSignal) => Promise<Suggestion[]>;
  #abort = new AbortController();

  constructor(find: (query: string, signal: AbortSignal) => Promise<Suggestion[]>) {
    this.#find = find;
  }

  /** Old suggestions stay until the new ones are here, so that nothing flickers while somebody types. */
  async ask(query: string): Promise<void> {
    this.#abort.abort();
    if (!query) return this.close();
    const abort = (this.#abort = new AbortController());
    let found: Suggestion[];
    try {
      found = await this.#find(query, abort.signal);
    } catch {
      // The list below says what is wrong; suggestions only stay away.
      found = [];
    }
    // What would lie over a card must not come between press and click.
    afterPress(() => {
      if (abort.signal.aborted) return;
      this.items = found;
      this.active = -1;
      this.open = found.length > 0;
      this.answered = true;
    });
  }

  close(): void {
    this.#abort.abort();
    this.items = [];
    this.open = false;
    this.active = -1;
    this.answered = false;
  }

  choose(item: Suggestion): void {
    this.close();
    item.choose();
  }

  /** Up and down go round through the list and the text. */
  move(by: 1 | -1): void {
    const places = this.items.length + 1;
    this.active = ((this.active + 1 + by + places) % places) - 1;
  }
}
