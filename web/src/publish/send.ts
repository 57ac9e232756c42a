import { ApiError, failureOf } from '../lib/errors';

/** What the server takes of one file, and what each surface says before anybody chooses one. */
export const maxBytes = 20 * 1024 * 1024;

/** Bytes read at a time: a multiple of three, so that the pieces' base64 joins without padding between them. */
const piece = 768 * 1024;

export interface Sending {
  path: string;
  /** The request beside its file. */
  fields: Record<string, unknown>;
  file?: { field: string; blob: Blob };
  key: string;
  signal: AbortSignal;
  onread?: (bytes: number) => void;
  onsent?: (bytes: number) => void;
}

/** A key that says "the same request again". `crypto.randomUUID` is for secure contexts only; this works on plain http too. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The same request keeps its key, so that trying again after a lost answer makes no second submission. */
export class KeyOfBody {
  #body = '';
  #key = '';

  of(body: object): string {
    const text = JSON.stringify(body);
    if (text !== this.#body) this.#key = newKey();
    this.#body = text;
    return this.#key;
  }
}

/** The JSON of a request with its file in base64, made piece by piece so that the page stays responsive. */
export async function bodyOf({ fields, file, signal, onread }: Pick<Sending, 'fields' | 'file' | 'signal' | 'onread'>): Promise<Blob> {
  const rest = JSON.stringify(fields);
  if (!file) return new Blob([rest], { type: 'application/json' });
  const parts: string[] = [`{${JSON.stringify(file.field)}:"`];
  for (let start = 0; start < file.blob.size; start += piece) {
    signal.throwIfAborted();
    parts.push(await base64(file.blob.slice(start, start + piece)));
    onread?.(Math.min(start + piece, file.blob.size));
  }
  parts.push(rest === '{}' ? '"}' : `",${rest.slice(1)}`);
  return new Blob(parts, { type: 'application/json' });
}

function base64(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => {
      const text = reader.result as string;
      done(text.slice(text.indexOf(',') + 1));
    };
    // The file was moved or changed since it was chosen.
    reader.onerror = () => fail(new ApiError({ code: 'file_unreadable', status: 0 }));
    reader.readAsDataURL(blob);
  });
}

/** Send it, telling how many bytes of the file have left. fetch cannot tell that, so this is an XMLHttpRequest. */
export async function send<T>(sending: Sending): Promise<T> {
  const body = await bodyOf(sending);
  const { signal, file, onsent } = sending;
  return new Promise<T>((done, fail) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open('POST', sending.path);
    request.setRequestHeader('Content-Type', 'application/json');
    request.setRequestHeader('Idempotency-Key', sending.key);
    request.upload.onprogress = (event) => onsent?.(Math.round(((file?.blob.size ?? 0) * event.loaded) / (event.total || 1)));
    request.onload = () => {
      const answer = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300 && answer?.data) done(answer.data as T);
      else fail(failureOf(replyOf(request), answer));
    };
    request.onerror = () => fail(new ApiError({ code: 'network', status: 0 }));
    request.onabort = () => fail(new DOMException('', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    if (signal.aborted) fail(new DOMException('', 'AbortError'));
    else request.send(body);
  });
}

function parsed(text: string): { data?: unknown } | undefined {
  try {
    return JSON.parse(text) as { data?: unknown };
  } catch {
    return undefined;
  }
}

/** The status and headers that an error is made of; some statuses are none that a Response can have. */
function replyOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ['X-Request-Id', 'Retry-After']) {
    const value = request.getResponseHeader(name);
    if (value) headers.set(name, value);
  }
  return new Response(null, { status: request.status >= 200 ? request.status : 500, headers });
}
