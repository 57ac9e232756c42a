import { canonical } from './canonical';
import { nameOf, type Key, type Target, type Value } from './engine';

/** Stands for the sample bot where others have an address; no server can ever answer there (RFC 2606). */
export const sampleAddress = 'http://sample-bot.invalid';

const placeOf = (member: string) => `stoa.sample-bot.${member}`;
const persona = (prompt: string) => canonical({ begin_dialogs: [], custom_error_message: null, skills: null, system_prompt: prompt, tools: null });

/** A bot to practise on, for who has none at hand. It lives in this browser, holds one persona of its own and calls nobody. */
export class SampleBot implements Target {
  readonly #place: string;

  constructor(member: string) {
    this.#place = placeOf(member);
  }

  /** Everything it holds, by kind and name. */
  contents(): Record<string, string> {
    const kept = localStorage.getItem(this.#place);
    return kept === null ? { [nameOf({ kind: 'persona', id: 'Cook' })]: persona('You are a cook. You answer in short recipes.') } : (JSON.parse(kept) as Record<string, string>);
  }

  async check(): Promise<void> {}

  may = () => Promise.resolve(true);

  async read(keys: readonly Key[]): Promise<Map<string, string>> {
    const all = this.contents();
    return new Map(keys.map(nameOf).flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  }

  async write(key: Key, _before: Value, after: Value): Promise<void> {
    this.#keep({ ...this.contents(), [nameOf(key)]: after ?? undefined });
  }

  /** A change by hand, as in the dashboard of a real bot. */
  edit(name: string, prompt: string): void {
    const all = this.contents();
    this.#keep({ ...all, [name]: canonical({ ...(JSON.parse(all[name]!) as object), system_prompt: prompt }) });
  }

  #keep(all: Record<string, string | undefined>): void {
    localStorage.setItem(this.#place, JSON.stringify(all));
  }

  forget(): void {
    localStorage.removeItem(this.#place);
  }
}
