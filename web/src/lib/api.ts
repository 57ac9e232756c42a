import createClient from 'openapi-fetch';
import type { paths } from './api.gen';
import { ApiError, failureOf } from './errors';

// The session travels in the HttpOnly cookie that login sets; scripts never hold the token.
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' });

/** Told of every request that the server refused because nobody is signed in; a wrong password is not one of them. */
export function whenRefused(tell: () => void): void {
  api.use({
    onResponse({ response, schemaPath }) {
      if (response.status === 401 && !schemaPath.startsWith('/api/login')) tell();
    },
  });
}

type Reply<T> = { data?: { data?: T }; error?: unknown; response: Response };

/** The `data` of an answer; every failure, the network's included, becomes an ApiError. */
export async function unwrap<T>(request: Promise<Reply<T>>): Promise<NonNullable<T>> {
  const reply = await settled(request);
  const data = reply.data?.data;
  if (!reply.response.ok || data === undefined || data === null) throw failureOf(reply.response, reply.error);
  return data;
}

/** A file answer: its bytes and the name the server gives it. */
export async function unwrapFile(request: Promise<{ data?: Blob; error?: unknown; response: Response }>) {
  const reply = await settled(request);
  if (!reply.response.ok || !reply.data) throw failureOf(reply.response, reply.error);
  return { blob: reply.data, filename: filenameOf(reply.response.headers.get('Content-Disposition')) };
}

async function settled<R>(request: Promise<R>): Promise<R> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError({ code: 'network', status: 0 });
  }
}

export function filenameOf(disposition: string | null): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1] ?? 'package.zip';
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
