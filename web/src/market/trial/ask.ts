import { api } from '../../lib/api';
import { failureOf } from '../../lib/errors';
import { callOutside, type OutsideNews } from '../../lib/outside';
import { AnswerReader, ModelFault, type Piece } from './events';

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A member's own model server. It lives as long as the page does and is kept nowhere. */
export interface OwnServer {
  url: string;
  key: string;
  model: string;
}

export interface Question {
  messages: Message[];
  temperature: number | null;
}

/** Asks Stoa: the operator's model, or Stoa hands the question on to the member's own server. */
export async function askStoa(question: Question, server: OwnServer | undefined, signal: AbortSignal, take: (piece: Piece) => void): Promise<void> {
  const body = { messages: question.messages, temperature: question.temperature ?? undefined, server };
  let reply;
  try {
    reply = await api.POST('/api/trial/chat', { body, parseAs: 'stream', signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ModelFault('offline');
  }
  if (reply.error !== undefined || !reply.data) throw failureOf(reply.response, reply.error);
  const reader = new AnswerReader('text/event-stream', take);
  const text = (reply.data as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await text.read().catch(() => {
      throw signal.aborted ? new DOMException('stopped', 'AbortError') : new ModelFault('interrupted');
    });
    if (done) return reader.end();
    reader.add(value);
  }
}

/** Longest wait for the first and for a further piece, and longest answer, in milliseconds: as Stoa itself waits (internal/platform/llm). */
const patience = { first: 60_000, next: 30_000, whole: 180_000 };

/**
 * Asks the member's server from the browser itself, through a document that has no origin: this page may connect to nowhere
 * but Stoa. Throws ModelFault `unreachable` also when the server allows no calls from pages; a browser does not tell which.
 */
export async function askDirectly(question: Question, server: OwnServer, signal: AbortSignal, take: (piece: Piece) => void): Promise<void> {
  const body = JSON.stringify({ model: server.model, messages: question.messages, stream: true, max_tokens: 2048, ...(question.temperature === null ? {} : { temperature: question.temperature }) });
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...(server.key && { Authorization: `Bearer ${server.key}` }) };
  await new Promise<void>((resolve, reject) => {
    let reader: AnswerReader | undefined;
    let timer = 0;
    let leave = () => {};
    let over = false;
    const end = (error?: unknown) => {
      clearTimeout(timer);
      clearTimeout(whole);
      signal.removeEventListener('abort', stopped);
      over = true;
      leave();
      if (error === undefined) resolve();
      else reject(error);
    };
    const wait = (time: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => end(new ModelFault('timeout')), time) as unknown as number;
    };
    // What never ends is stopped, also when it says nothing.
    const whole = setTimeout(() => end(new ModelFault(reader ? 'too_long' : 'timeout')), patience.whole);
    const stopped = () => end(new DOMException('stopped', 'AbortError'));
    const tell = (news: OutsideNews) => {
      try {
        if ('failed' in news) throw new ModelFault(reader && news.failed === 'unreachable' ? 'interrupted' : news.failed);
        if ('status' in news) {
          if (news.status !== 200) throw new ModelFault('refused', news.status);
          reader = new AnswerReader(news.type, (piece) => {
            wait(patience.next);
            take(piece);
          });
        } else if ('text' in news) reader?.add(news.text);
        else {
          reader?.end();
          end();
        }
      } catch (error) {
        end(error);
      }
    };
    if (signal.aborted) return stopped();
    signal.addEventListener('abort', stopped);
    wait(patience.first);
    void callOutside({ url: `${server.url.trim().replace(/\/+$/, '')}/chat/completions`, method: 'POST', headers, body }, tell).then((stop) => {
      leave = stop;
      if (over) stop();
    });
  });
}
