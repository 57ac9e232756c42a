import { api, unwrap } from '../../lib/api';
import { asApiError, type ApiError } from '../../lib/errors';
import { Conversation, type Voice } from './conversation.svelte';

/** What the same questions are asked beside: another version, another item, or one's own prompt. */
export class Beside {
  kind = $state<'none' | 'version' | 'item' | 'prompt'>('none');
  prompt = $state('');
  name = $state('');
  failure = $state.raw<ApiError>();
  talk = new Conversation();
  #loaded = $state.raw<Voice>();
  #asked = 0;

  /** Undefined while there is nothing beside. */
  readonly voice = $derived<Voice | undefined>(this.kind === 'prompt' ? { prompt: this.prompt, temperature: null } : this.kind === 'none' ? undefined : this.#loaded);

  choose(kind: Beside['kind'], name: string): void {
    this.#asked++;
    this.kind = kind;
    this.name = name;
    this.#loaded = this.failure = undefined;
    this.talk.stop();
    this.talk.turns = [];
  }

  async load(id: string, version: string | undefined, locale: string, name: string): Promise<void> {
    const mine = ++this.#asked;
    this.#loaded = this.failure = undefined;
    this.talk.stop();
    this.talk.turns = [];
    try {
      const found = await unwrap(api.GET('/api/trial/personas', { params: { query: { item_id: id, version, locale } } }));
      if (mine !== this.#asked) return; // something else was chosen meanwhile
      const persona = found.personas[0];
      this.#loaded = persona && { prompt: persona.system_prompt, temperature: persona.temperature };
      this.name = name;
    } catch (error) {
      if (mine !== this.#asked) return;
      this.failure = asApiError(error);
      this.#loaded = undefined;
    }
  }
}
