import { ApiError } from '../../lib/errors';
import { isAbort } from '../../lib/api';
import { session } from '../../lib/session.svelte';
import { askDirectly, askStoa, type Message, type OwnServer, type Question } from './ask';
import { ModelFault, type Piece } from './events';

export interface Turn {
  question: string;
  answer: string;
  /** Names of functions that the model wanted called. */
  tools: string[];
  state: 'asking' | 'answered' | 'stopped' | 'failed' | 'cut';
  failure?: ModelFault | ApiError;
}

/** What speaks: the system prompt, and how warm. */
export interface Voice {
  prompt: string;
  temperature: number | null;
}

/** Which model is asked. */
export class ModelChoice {
  source = $state<'operator' | 'own'>('operator');
  own = $state<OwnServer>({ url: '', key: '', model: '' });
  /** The address whose server allows no calls from a page: Stoa hands the questions on. */
  relayed = $state('');
  canRelay = $state(false);

  get ready(): boolean {
    return this.source === 'operator' || (/^https?:\/\/\S+$/.test(this.own.url.trim()) && this.own.model.trim() !== '');
  }

  async ask(question: Question, signal: AbortSignal, take: (piece: Piece) => void): Promise<void> {
    if (this.source === 'operator') return askStoa(question, undefined, signal, take);
    const server = { url: this.own.url.trim(), key: this.own.key.trim(), model: this.own.model.trim() };
    if (this.relayed !== server.url) {
      try {
        return await askDirectly(question, server, signal, take);
      } catch (error) {
        if (!(error instanceof ModelFault) || error.code !== 'unreachable') throw error;
        if (!this.canRelay) throw new ModelFault('no_calls');
        this.relayed = server.url;
      }
    }
    return askStoa(question, server, signal, take);
  }
}

/** One conversation with one voice. Nothing of it is kept when the page is left. */
export class Conversation {
  turns = $state<Turn[]>([]);
  #stop?: AbortController;
  readonly busy = $derived(this.turns.at(-1)?.state === 'asking');

  /** What would be sent with the next question. */
  messages(voice: Voice, question: string): Message[] {
    const before = this.turns.filter((turn) => turn.answer).flatMap((turn): Message[] => [{ role: 'user', content: turn.question }, { role: 'assistant', content: turn.answer }]);
    const system: Message[] = voice.prompt.trim() ? [{ role: 'system', content: voice.prompt }] : [];
    return [...system, ...before, { role: 'user', content: question }];
  }

  async ask(voice: Voice, choice: ModelChoice, question: string): Promise<void> {
    if (this.busy) return;
    const messages = this.messages(voice, question);
    this.turns.push({ question, answer: '', tools: [], state: 'asking' });
    const turn = this.turns.at(-1)!;
    const stop = (this.#stop = new AbortController());
    try {
      await session.run('templates.trial.chat', () =>
        choice.ask({ messages, temperature: voice.temperature }, stop.signal, (piece) => {
          turn.answer += piece.text;
          if (piece.tool) turn.tools.push(piece.tool);
          if (piece.finish === 'length') turn.state = 'cut';
        }),
      );
      if (turn.state === 'asking') turn.state = 'answered';
    } catch (error) {
      turn.state = isAbort(error) ? 'stopped' : 'failed';
      if (turn.state === 'failed') turn.failure = error instanceof ModelFault || error instanceof ApiError ? error : new ModelFault('bad_reply');
    }
  }

  stop(): void {
    this.#stop?.abort();
  }

  /** Takes the last question back, to ask it once more. */
  takeBack(): string | undefined {
    if (this.busy) return undefined;
    return this.turns.pop()?.question;
  }
}
