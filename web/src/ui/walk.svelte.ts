/** The marks of a plot as one stop of Tab, walked by the arrow keys; what is pointed at or has the focus is the active one. */
export class Walk {
  /** The mark that is pointed at or has the focus; -1 for none. */
  active = $state(-1);
  /** The mark that Tab comes to: the newest, until the arrows went elsewhere. */
  #chosen = $state(-1);
  #id: string;
  #length: () => number;

  constructor(id: string, length: () => number) {
    this.#id = id;
    this.#length = length;
  }

  get stop(): number {
    return this.#chosen >= 0 && this.#chosen < this.#length() ? this.#chosen : this.#length() - 1;
  }

  /** Its place in the second half: what is said of it stands to its other side. */
  get late(): boolean {
    return this.active >= this.#length() / 2;
  }

  /** What makes the mark at this place part of the walk. */
  at(index: number) {
    return {
      id: `${this.#id}-${index}`,
      role: 'listitem',
      tabindex: index === this.stop ? 0 : -1,
      onkeydown: this.#keys,
      onfocus: () => (this.active = this.#chosen = index),
      onblur: () => (this.active = -1),
      onpointerenter: () => (this.active = index),
      onpointerleave: () => (this.active = -1),
    } as const;
  }

  #keys = (event: KeyboardEvent) => {
    const last = this.#length() - 1;
    const to = { ArrowRight: this.stop + 1, ArrowLeft: this.stop - 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') this.active = -1;
    if (to === undefined || to < 0 || to > last) return;
    event.preventDefault();
    this.#chosen = to;
    document.getElementById(`${this.#id}-${to}`)?.focus();
  };
}
