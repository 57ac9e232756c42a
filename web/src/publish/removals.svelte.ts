import { tick } from 'svelte';
import { t } from '../lib/i18n.svelte';
import { session } from '../lib/session.svelte';
import { toast, toastError } from '../lib/toasts.svelte';

const undoTime = 8000;

/** Drafts that were taken off a list, and are deleted in a moment unless that is taken back. */
export class Removals {
  #going = $state.raw<{ id: string; timer: ReturnType<typeof setTimeout> }[]>([]);

  constructor(readonly operation: string, readonly request: (id: string) => Promise<unknown>, readonly done: () => Promise<void>) {}

  has(id: string): boolean {
    return this.#going.some((one) => one.id === id);
  }

  async add(id: string, name: string): Promise<void> {
    const timer = setTimeout(() => void this.#destroy(id), undoTime);
    this.#going = [...this.#going, { id, timer }];
    toast(t('drafts.removed', { name }), { action: { label: t('action.undo'), run: () => this.#keep(id) } });
    await tick();
    document.querySelector<HTMLElement>('[data-toast-action]')?.focus();
  }

  /** Whoever leaves meant it. */
  leave(): void {
    for (const { id, timer } of this.#going) {
      clearTimeout(timer);
      void this.request(id).catch(() => undefined);
    }
  }

  #keep(id: string): void {
    const one = this.#going.find((entry) => entry.id === id);
    if (!one) return;
    clearTimeout(one.timer);
    this.#going = this.#going.filter((entry) => entry !== one);
  }

  async #destroy(id: string): Promise<void> {
    try {
      await session.run(this.operation, () => this.request(id));
    } catch (error) {
      toastError(error);
    }
    await this.done();
    this.#going = this.#going.filter((entry) => entry.id !== id);
  }
}
