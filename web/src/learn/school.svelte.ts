import { api, unwrap } from '../lib/api';
import { asApiError, type ApiError } from '../lib/errors';
import type { Graph } from './types';

/** What there is to learn and where the learner stands; every view draws from it. */
class School {
  graph = $state.raw<Graph>();
  failure = $state.raw<ApiError>();
  loading = $state(false);
  /** The concept around which the graph was fetched, where it is too large to be shown whole. */
  around = $state('');

  #round = 0;

  get empty(): boolean {
    return this.graph?.counts.concepts === 0;
  }

  /** Nothing was studied yet, and there is enough to be asked about. */
  get fresh(): boolean {
    const counts = this.graph?.counts;
    return counts !== undefined && counts.concepts >= 8 && counts.mastered + counts.learning === 0;
  }

  async load(around = this.around): Promise<void> {
    const round = ++this.#round;
    this.loading = true;
    this.failure = undefined;
    try {
      const query = { focusAtomId: around || undefined };
      const graph = await unwrap(api.GET('/api/knowledge/graph', { params: { query } }));
      if (round !== this.#round) return;
      this.graph = graph;
      this.around = around;
    } catch (error) {
      if (round !== this.#round) return;
      this.failure = asApiError(error);
    }
    this.loading = false;
  }

  forget(): void {
    this.#round++;
    this.graph = undefined;
    this.around = '';
  }
}

export const school = new School();
