import { api, unwrap } from '../lib/api';
import { asApiError, type ApiError } from '../lib/errors';
import { session } from '../lib/session.svelte';
import type { Graph } from './types';

/** What there is to learn and where the learner stands; every view draws from it. */
class School {
  graph = $state.raw<Graph>();
  failure = $state.raw<ApiError>();
  loading = $state(false);
  /** The concept around which the graph was fetched, where it is too large to be shown whole. */
  around = $state('');

  #round = 0;
  #early?: { who: string; graph: Promise<Graph> };

  get empty(): boolean {
    return this.graph?.counts.concepts === 0;
  }

  /** Nothing was studied yet, and there is enough to be asked about. */
  get fresh(): boolean {
    const counts = this.graph?.counts;
    return counts !== undefined && counts.concepts >= 8 && counts.mastered + counts.learning === 0;
  }

  /** Asks for whom is here, or was here last and mostly comes back, before the page is drawn. */
  begin(who: string): void {
    if (!who.startsWith('member ') || this.#early?.who === who) return;
    this.#early = { who, graph: this.#ask('') };
    this.#early.graph.catch(() => undefined); // whoever uses it says what went wrong
  }

  async load(around = this.around): Promise<void> {
    const round = ++this.#round;
    this.loading = true;
    this.failure = undefined;
    try {
      const early = around ? undefined : this.#early;
      this.#early = undefined;
      const graph = await (early?.who === session.who ? early.graph : this.#ask(around));
      if (round !== this.#round) return;
      this.graph = graph;
      this.around = around;
    } catch (error) {
      if (round !== this.#round) return;
      this.failure = asApiError(error);
    }
    this.loading = false;
  }

  #ask(around: string): Promise<Graph> {
    return unwrap(api.GET('/api/knowledge/graph', { params: { query: { focusAtomId: around || undefined } } }));
  }

  forget(): void {
    this.#round++;
    this.graph = undefined;
    this.around = '';
  }
}

export const school = new School();
