import { api, unwrap } from '../lib/api';
import { keptFor, sessionCache } from '../lib/session.svelte';
import { mediaPath } from './cardtext';
import type { Run } from './run';
import type { Action, KeptQuestion, TutorReply } from './types';

/**
 * A session that was begun goes on without a network. The service worker (public/learn-worker.js) keeps the files of the page;
 * what the session asks is fetched when it begins and kept until it has been sent.
 */

const worker = '/learn-worker.js';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL: (url: string) => unknown };
}

/** Browsers have service workers on HTTPS and on the machine itself. */
export async function startWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const rules = {
    createScriptURL: (url: string) => {
      if (url !== worker) throw new TypeError(url);
      return url;
    },
  };
  const url = trusted ? trusted.createPolicy('stoa-worker', rules).createScriptURL(worker) : worker;
  try {
    await navigator.serviceWorker.register(url as string, { scope: '/learn' });
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
    active?.postMessage({ keep: ['/learn', ...loaded.filter((one) => one.origin === location.origin && one.pathname.startsWith('/assets/')).map(({ pathname }) => pathname)] });
  } catch {
    // Private windows and full disks: the session then needs the network.
  }
}

/** Fetches what the rest of a session needs and keeps it for the worker. False when something of it could not be had. */
export async function keepSession(run: Run, around: string): Promise<boolean> {
  if (!('caches' in globalThis) || !('serviceWorker' in navigator)) return false;
  const cache = await caches.open(sessionCache);
  const owner = keptFor();
  const keeping = async (request: Request): Promise<Response> => {
    const reply = await fetch(request);
    if (reply.ok && keptFor() === owner) await cache.put(request, reply.clone());
    return reply;
  };
  const get = { fetch: keeping } as const;
  const media = new Set<string>();
  let formulas = false;
  let code = false;
  const look = (answer: unknown): void => {
    if (typeof answer !== 'object' || answer === null) return;
    const [tag, attributes] = Array.isArray(answer) ? (answer as [unknown, Record<string, string>?]) : [];
    formulas ||= tag === 'math';
    code ||= tag === 'pre';
    if (tag === 'media' && attributes?.name) media.add(attributes.name);
    Object.values(answer).forEach(look);
  };
  const one = async (action: Action) => {
    const { items } = await unwrap(api.GET('/api/knowledge/questions', { params: { query: { atomId: action.atomId } }, ...get }));
    const question = questionOf(action, items);
    look(items);
    for (const name of question?.media ?? []) media.add(name);
    if (question?.picture) media.add(`anki:${question.picture}`);
    for (const questionId of new Set([undefined, question?.questionId])) {
      look(await unwrap(api.GET('/api/knowledge/note', { params: { query: { atomId: action.atomId, questionId } }, ...get })));
    }
  };
  const jobs: (() => Promise<unknown>)[] = [
    () => unwrap(api.GET('/api/ui/capabilities', { params: { query: { page_mode: 'member' } }, ...get })),
    () => unwrap(api.GET('/api/auth-info', get)),
    () => unwrap(api.GET('/api/knowledge/graph', { params: { query: { focusAtomId: around || undefined } }, ...get })),
    ...run.plan.actions.slice(run.at).map((action) => () => one(action)),
    () => Promise.all([import('./NotePassage.svelte'), import('./QuestionList.svelte'), import('./OccludedPicture.svelte'), import('./Result.svelte')]),
  ];
  const whole = await all(jobs);
  const rest = await all([
    ...[...media].map((name) => () => keeping(new Request(mediaPath(name)))),
    ...(formulas ? [async () => (await import('./formulas')).fetchFonts()] : []),
    ...(code ? [() => import('./highlight')] : []),
  ]);
  return whole && rest;
}

/** Four at a time, so that the session itself is not held up. */
async function all(jobs: (() => Promise<unknown>)[]): Promise<boolean> {
  const waiting = [...jobs];
  let whole = true;
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let job = waiting.shift(); job; job = waiting.shift()) await job().catch(() => (whole = false));
    }),
  );
  return whole;
}

function questionOf(action: Action, items: KeptQuestion[]): KeptQuestion | undefined {
  return items.find(({ questionId }) => questionId === action.questionId) ?? items.find(({ state }) => state === 'active');
}

/** What is asked where the tutor cannot be reached: the stored question as it was kept, and the note. */
export async function askOffline(action: Action): Promise<Pick<TutorReply, 'message' | 'question' | 'note'>> {
  const { items } = await unwrap(api.GET('/api/knowledge/questions', { params: { query: { atomId: action.atomId } } }));
  const question = questionOf(action, items);
  const note = await unwrap(api.GET('/api/knowledge/note', { params: { query: { atomId: action.atomId } } })).catch(() => undefined);
  return { message: '', question, note: note && { atomId: action.atomId, title: note.title, sourcePath: note.sourcePath, text: note.title } };
}
