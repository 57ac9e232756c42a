import { emptyState, type Journal, type State } from './engine';

/**
 * What this browser knows of the member's bots: their addresses, the names they were given and the journals of what was
 * applied, with texts of the bot. Never a key. A journal of another member of the same browser is not shown.
 */
export interface Kept extends State {
  address: string;
  name: string;
  /** What the server was not yet told: items that came, and items that went. */
  untold: { item: string; gone: boolean }[];
  /** Counts the savings, so that two pages do not both go on with one plan. */
  revision: number;
}

/** Another page of this browser has saved since: it works on the same bot. */
export class BusyError extends Error {}

const storeName = 'bots';

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('stoa-bots', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the store of the browser is away'));
  });
}

/** Runs a transaction and answers when it is on disk. */
async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore, give: (value: T) => void) => void): Promise<T | undefined> {
  const database = await open();
  try {
    return await new Promise<T | undefined>((resolve, reject) => {
      let value: T | undefined;
      const transaction = database.transaction(storeName, mode, { durability: 'strict' });
      transaction.oncomplete = () => resolve(value);
      transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new BusyError());
      work(transaction.objectStore(storeName), (given) => (value = given));
    });
  } finally {
    database.close();
  }
}

const leaseMs = 120_000; // a hidden page's timers may run once a minute

/** Takes or renews a lease on a bot, by a transaction, which pages share; false while another page has one. */
const lease = (key: string[], owner: string) =>
  within<boolean>('readwrite', (store, give) => {
    const request = store.get(key);
    request.onsuccess = () => {
      const held = request.result as { owner: string; until: number } | undefined;
      const left = held && held.owner !== owner ? held.until - Date.now() : 0;
      give(left <= 0 || left > leaseMs); // one that lasts longer than any can was of another clock
      if (left <= 0 || left > leaseMs) store.put({ owner, until: Date.now() + leaseMs }, key);
    };
  });

/** Does something to a bot while no other page of this browser does. Over plain HTTP pages have no locks, so there a lease stands for one. */
export async function alone<T>(member: string, address: string, work: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks) {
    return locks.request(`stoa-bot ${member} ${address}`, { ifAvailable: true }, (lock) => {
      if (!lock) throw new BusyError();
      return work();
    });
  }
  const key = ['', member, address]; // no member has an empty name
  const owner = Array.from(crypto.getRandomValues(new Uint8Array(16))).join('.');
  if (!(await lease(key, owner))) throw new BusyError();
  const renewal = setInterval(() => void lease(key, owner).catch(() => undefined), leaseMs / 4);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await within('readwrite', (store) => {
      const request = store.get(key);
      request.onsuccess = () => (request.result as { owner: string } | undefined)?.owner === owner && store.delete(key);
    });
  }
}

/** The bots of a member, by name. */
export async function listBots(member: string): Promise<Kept[]> {
  const all = await within<Kept[]>('readonly', (store, give) => {
    const request = store.getAll(IDBKeyRange.bound([member, ''], [member, '\uffff']));
    request.onsuccess = () => give(request.result as Kept[]);
  });
  return (all ?? []).sort((a, b) => a.name.localeCompare(b.name) || (a.address < b.address ? -1 : 1));
}

export async function forgetBot(member: string, address: string): Promise<void> {
  await within('readwrite', (store) => void store.delete([member, address]));
}

export class BrowserJournal implements Journal {
  #revision = -1;
  #kept?: Kept;

  constructor(
    private readonly member: string,
    private readonly address: string,
    private readonly name: string,
  ) {}

  async load(): Promise<Kept> {
    const found = await within<Kept | undefined>('readonly', (store, give) => {
      const request = store.get([this.member, this.address]);
      request.onsuccess = () => give(request.result as Kept | undefined);
    });
    this.#kept = found ?? { ...emptyState(), address: this.address, name: this.name, untold: [], revision: 0 };
    this.#revision = this.#kept.revision;
    return structuredClone(this.#kept);
  }

  /** Keeps the state, unless another page has saved since this one loaded. */
  async save(state: State & Partial<Kept>): Promise<void> {
    const next: Kept = { ...this.#kept!, ...structuredClone(state), name: this.name || this.#kept!.name, revision: this.#revision + 1 };
    const key = [this.member, this.address];
    await within('readwrite', (store) => {
      const request = store.get(key);
      request.onsuccess = () => {
        const there = (request.result as Kept | undefined)?.revision ?? 0;
        if (there === this.#revision) store.put(next, key);
        else store.transaction.abort();
      };
    });
    this.#revision = next.revision;
    this.#kept = next;
  }
}
