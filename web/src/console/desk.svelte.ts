import { ApiError, asApiError } from '../lib/errors';
import { signWith, type Proof } from '../lib/passkey';
import { ask, type Me } from './client';

/** Has a passkey prove who is here; the console makes challenges of its own. */
const prove = async (): Promise<Proof> => signWith(await ask('POST', 'passkey'));

/** Who is signed in at the console, and what waits for the password. */
class Desk {
  me = $state.raw<Me>();
  known = $state(false);
  /** What to do once the password was given again; the dialog is open while there is something. */
  waiting = $state.raw<() => Promise<void>>();

  async look(): Promise<void> {
    try {
      this.me = await ask<Me>('GET', 'me');
    } catch {
      this.me = undefined;
    }
    this.known = true;
  }

  async signIn(user_id: string, password: string): Promise<void> {
    this.me = await ask<Me>('POST', 'login', { user_id, password });
  }

  async signInByPasskey(): Promise<void> {
    this.me = await ask<Me>('POST', 'login', await prove());
  }

  async signOut(): Promise<void> {
    await ask('POST', 'logout');
    this.me = undefined;
  }

  /** Runs a decision; where the server wants the password first, asks for it and runs it again. */
  async decide<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      const failure = asApiError(error);
      if (failure.code === 'unauthorized') this.me = undefined;
      if (failure.code !== 'confirm') throw failure;
      return await new Promise<T | undefined>((resolve, reject) => {
        this.#give = resolve as (value: unknown) => void;
        this.waiting = async () => {
          try {
            resolve(await run());
          } catch (again) {
            reject(again instanceof ApiError ? again : asApiError(again));
          }
        };
      });
    }
  }

  #give?: (value: unknown) => void;

  async confirm(password: string): Promise<void> {
    await this.#confirmed({ password });
  }

  async confirmByPasskey(): Promise<void> {
    await this.#confirmed(await prove());
  }

  async #confirmed(proof: object): Promise<void> {
    this.me = await ask<Me>('POST', 'confirm', proof);
    const run = this.waiting;
    this.waiting = undefined;
    await run?.();
  }

  giveUp(): void {
    this.waiting = undefined;
    this.#give?.(undefined);
  }

  has(role: string): boolean {
    return this.me?.roles.includes(role) ?? false;
  }
}

export const desk = new Desk();
