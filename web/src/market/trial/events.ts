/** A part of what a model says, as OpenAI's interface streams it. */
export interface Piece {
  text: string;
  /** A function that the model wants called. Nothing calls it. */
  tool?: string;
  finish?: string;
}

/** Why no answer came, or no whole one; the page has words for each code. */
export class ModelFault extends Error {
  constructor(
    readonly code: string,
    readonly status = 0,
  ) {
    super(code);
  }
}

/** Longest event, in characters. */
const longestEvent = 1 << 20;
/** Longest answer, in characters. */
const longestAnswer = 64 << 10;

/** Reads an answer that comes in pieces of text, be it server-sent events or one JSON document. */
export class AnswerReader {
  #rest = '';
  #left = longestAnswer;
  #ended = false;
  #any = false;

  constructor(
    readonly contentType: string,
    readonly take: (piece: Piece) => void,
  ) {
    if (/^text\/html/i.test(contentType)) throw new ModelFault('bad_reply');
  }

  get #whole(): boolean {
    return /^application\/json/i.test(this.contentType);
  }

  add(text: string): void {
    this.#rest += text;
    if (this.#rest.length > longestEvent) throw new ModelFault('bad_reply');
    if (this.#whole) return;
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  /** No more comes. */
  end(): void {
    if (this.#whole) this.#read(this.#rest);
    else this.#line(this.#rest);
    if (!this.#any) throw new ModelFault('bad_reply');
    if (!this.#ended && !this.#whole) throw new ModelFault('interrupted');
  }

  #line(line: string): void {
    if (!line.startsWith('data:') || this.#ended) return;
    const data = line.slice(5).trim();
    if (data === '[DONE]') this.#ended = true;
    else this.#read(data);
  }

  #read(data: string): void {
    let event: Event;
    try {
      event = JSON.parse(data) as Event;
    } catch {
      throw new ModelFault('bad_reply');
    }
    if (event?.error) throw new ModelFault(typeof event.error.code === 'string' && known.has(event.error.code) ? event.error.code : 'refused', Number(event.error.status) || 0);
    const choice = event?.choices?.[0];
    if (!choice) return;
    this.#any = true;
    const said = choice.delta ?? choice.message;
    const text = String(said?.content ?? '');
    this.take({ text: text.slice(0, this.#left), tool: said?.tool_calls?.[0]?.function?.name, finish: choice.finish_reason ?? undefined });
    if ((this.#left -= text.length) < 0) throw new ModelFault('too_long');
  }
}

/** The codes that Stoa's own server tells. */
const known = new Set(['timeout', 'unreachable', 'refused', 'bad_reply', 'blocked', 'too_long', 'interrupted']);

interface Said {
  content?: string | null;
  tool_calls?: { function?: { name?: string } }[];
}

interface Event {
  choices?: { delta?: Said; message?: Said; finish_reason?: string | null }[];
  error?: { code?: unknown; status?: unknown };
}

/** Characters that are about a token each in the usual tokenizers. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** About how many tokens texts are: one for each Chinese, Japanese or Korean character, one for four others, four for each message. */
export function estimateTokens(texts: string[]): number {
  return texts.reduce((sum, text) => {
    const cjk = text.match(dense)?.length ?? 0;
    return sum + cjk + Math.ceil(([...text].length - cjk) / 4) + 4;
  }, 0);
}

/** Puts values into the places of a prompt, written {{name}}; a place without a value stays. */
export function fillPrompt(prompt: string, values: Record<string, string>): string {
  return prompt.replace(/\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g, (place, name: string) => values[name] || place);
}
