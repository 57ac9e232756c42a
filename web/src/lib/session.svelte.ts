import { api, unwrap, whenRefused } from './api';
import { ApiError, asApiError } from './errors';
import { t } from './i18n.svelte';
import { prove } from './passkey';
import { toast, toastError } from './toasts.svelte';
import type { AuthInfo, Capabilities } from './types';

/** What a study session keeps on this device, see learn/offline.ts. */
export const sessionCache = 'stoa-session';
export const sessionLeft = 'stoa.learn.run';

/** Who was here last, to whom that belongs. */
const keeper = 'stoa.here';

export function keptFor(): string {
  return localStorage.getItem(keeper) ?? '';
}

/** Removes what this device keeps of a study session once somebody else is here, or nobody: it is not theirs to see. */
async function keepFor(who: string): Promise<void> {
  if (keptFor() === who) return;
  if ('caches' in globalThis) await caches.delete(sessionCache);
  // Answers that were not sent wait for their member, until another one comes.
  const left = localStorage.getItem(sessionLeft);
  if (who.startsWith('member ') && left && !left.includes(`"user":${JSON.stringify(who.slice('member '.length))}`)) localStorage.removeItem(sessionLeft);
  localStorage.setItem(keeper, who);
}

function whoIs(known?: Capabilities): string {
  return known?.user_id ? `${known.authenticated ? 'member' : 'anonymous'} ${known.user_id}` : '';
}

type Reason = 'asked' | 'needed' | 'expired';
export type PageMode = 'member' | 'market';

/** Who is here and what the server says they may do. The server decides again on every request. */
class Session {
  capabilities = $state.raw<Capabilities>();
  authInfo = $state.raw<AuthInfo>();
  failure = $state.raw<ApiError>();
  /** Why the sign-in dialog is open, if it is. */
  asking = $state<Reason>();

  #mode: PageMode = 'market';
  #waiting: ((signedIn: boolean) => void)[] = [];
  #started!: () => void;
  /** What is pressed while the page still asks who is here waits for the answer. */
  #ready = new Promise<void>((resolve) => (this.#started = resolve));
  #round = 0;
  #known?: (who: string) => void;
  #latest?: Promise<void>;
  #asked?: Promise<void>;
  #operations = $derived(new Set(this.capabilities?.operations));

  get userId(): string {
    return this.capabilities?.user_id ?? '';
  }

  /**
   * Tells apart whoever is here: the anonymous member of a server may go by the same name as somebody who signs in, and
   * is shown less. What belongs to one of them is fetched again for the other.
   */
  get who(): string {
    return whoIs(this.capabilities);
  }

  /** Somebody is known: signed in, or taken as given on a server without authentication. */
  get signedIn(): boolean {
    const known = this.capabilities;
    return known !== undefined && (known.authenticated || !known.auth_required);
  }

  /** There is a session to end; a server without authentication keeps none. */
  get hasSession(): boolean {
    return this.capabilities !== undefined && this.capabilities.auth_required && this.capabilities.authenticated;
  }

  can(operation: string): boolean {
    return this.#operations.has(operation);
  }

  /** A control worth showing: allowed now, or allowed perhaps after signing in. */
  offers(operation: string): boolean {
    return this.can(operation) || !this.signedIn;
  }

  async start(mode: PageMode, known?: (who: string) => void): Promise<void> {
    this.#mode = mode;
    this.#known = known;
    await this.refresh();
    this.#started();
  }

  async refresh(): Promise<void> {
    const mine = (this.#latest = this.#look(++this.#round));
    await mine;
    if (this.#latest !== mine) await this.#latest;
  }

  async #look(round: number): Promise<void> {
    try {
      const query = { page_mode: this.#mode };
      const [capabilities, authInfo] = await Promise.all([
        unwrap(api.GET('/api/ui/capabilities', { params: { query } })),
        this.authInfo ?? unwrap(api.GET('/api/auth-info')),
      ]);
      // An answer from before a sign-in says nothing about who is here after it.
      if (round !== this.#round) return;
      this.#known?.(whoIs(capabilities));
      await keepFor(whoIs(capabilities)).catch(() => undefined); // storage that is full or forbidden keeps nobody from signing in
      if (round !== this.#round) return;
      this.capabilities = capabilities;
      this.authInfo = authInfo;
      this.failure = undefined;
    } catch (error) {
      if (round === this.#round) this.failure = asApiError(error);
    }
  }

  /** Whether the operation is allowed, after asking the visitor to sign in where that can help. */
  async ensure(operation: string, reason: Reason = 'needed'): Promise<boolean> {
    await this.#ready;
    if (!this.capabilities) await this.refresh();
    if (this.can(operation)) return true;
    if (!this.capabilities) {
      // Without an answer a sign-in would not help either.
      if (this.failure) toastError(this.failure);
      return false;
    }
    if (this.signedIn) return false;
    return (await this.ask(reason)) && this.can(operation);
  }

  /** Run a request that needs a session; when the session has ended, sign in and run it once more. Undefined: given up. */
  async run<T>(operation: string, request: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.ensure(operation))) return undefined;
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'unauthorized') throw error;
      await (this.#asked ?? this.refresh());
      return (await this.ensure(operation, 'expired')) ? await request() : undefined;
    }
  }

  ask(reason: Reason): Promise<boolean> {
    this.asking = reason;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The dialog has closed. */
  answered(signedIn: boolean): void {
    this.asking = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve(signedIn);
  }

  async signIn(userId: string, password: string): Promise<void> {
    await unwrap(api.POST('/api/login', { body: { user_id: userId, password } }));
    await this.refresh();
  }

  async signInByPasskey(): Promise<void> {
    await unwrap(api.POST('/api/login/passkey', { body: await prove() }));
    await this.refresh();
  }

  async signUp(userId: string, password: string): Promise<void> {
    await unwrap(api.POST('/api/signup', { body: { user_id: userId, password } }));
    await this.refresh();
  }

  async signInByToken(token: string): Promise<void> {
    await unwrap(api.POST('/api/login', { body: { sign_in_token: token } }));
    await this.refresh();
  }

  /** Says whether it has worked; never throws. */
  async signOut(): Promise<void> {
    try {
      await unwrap(api.POST('/api/logout', { body: {} }));
      if ('caches' in globalThis) await caches.delete(sessionCache);
      await this.refresh();
      toast(t('signin.signedOut'));
    } catch (error) {
      toastError(error);
    }
  }

  /**
   * Notice that the session has ended, or that the server's mode is another one: when a request is refused that was
   * allowed, and when the page comes back to the front.
   */
  watch(): void {
    whenRefused(() => {
      if (this.userId) this.#asked ??= this.refresh().finally(() => (this.#asked = undefined));
    });
    document.addEventListener('visibilitychange', () => {
      const end = this.capabilities?.session_expires_at;
      if (document.visibilityState === 'visible' && end && Date.parse(end) < Date.now()) void this.refresh();
    });
  }
}

export const session = new Session();
