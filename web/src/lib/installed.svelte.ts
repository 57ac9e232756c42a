import { SvelteMap } from 'svelte/reactivity';
import { api, unwrap } from './api';
import { session } from './session.svelte';
import type { Installation } from './types';

/** The member's newest installations by item, for marks on cards and detail pages. */
class Installed {
  #items = new SvelteMap<string, Installation>();

  get(id: string): Installation | undefined {
    return this.#items.get(id);
  }

  async refresh(): Promise<void> {
    if (!session.can('member.installations.read')) {
      this.#items.clear();
      return;
    }
    try {
      const query = { limit: 200 };
      const list = await unwrap(api.GET('/api/member/installations', { params: { query } }));
      this.#items.clear();
      for (const item of list.installations) this.#items.set(item.template_id, item);
    } catch {
      // Only marks hang on this; what needs the truth (the install plan, /member) asks the server itself.
    }
  }
}

export const installed = new Installed();
