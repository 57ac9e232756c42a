import { api, unwrap } from '../lib/api';
import { asApiError, type ApiError } from '../lib/errors';
import { session } from '../lib/session.svelte';
import type { TemplateDraft } from '../lib/types';
import { tagsOf, type Choices, type Describing } from './describe';
import { publishing } from './publishing.svelte';
import { newKey } from './send';

/** A template that is being written on the page. */
export interface Written {
  form: Describing;
  prompt: string;
  options: Choices;
}

/** What this browser has and the server has not yet. */
interface Unsent {
  id: string;
  revision: number;
  written: Written;
}

const pause = 800;
const places = 'stoa.template.';

export function isEmpty({ form, prompt }: Written): boolean {
  return !prompt.trim() && Object.values(form).every((text) => !text.trim());
}

/**
 * Keeps a template that is being written: at once in this browser, a moment later on the server. What the server has leaves the
 * browser; what it cannot take now stays there for its member alone. A draft that was saved from elsewhere meanwhile is not
 * written over: `other` is what is there, until the member has chosen.
 */
export class TemplateKeeper {
  state = $state<'' | 'saving' | 'saved' | 'browser' | 'failed'>('');
  /** Why the server did not take it. */
  failure = $state.raw<ApiError>();
  /** The draft as it was saved from elsewhere, or that it is gone. */
  other = $state.raw<TemplateDraft | 'gone'>();
  id = $state(newKey());
  #revision = 0;
  #place = places + session.userId;
  #kept = '';
  #wanted: Written | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();

  /** What only this browser has of what was written before; it is sent. */
  unsent(): Written | undefined {
    const unsent = this.#readUnsent();
    if (!unsent) return undefined;
    [this.id, this.#revision] = [unsent.id, unsent.revision];
    this.#wanted = unsent.written;
    void this.flush();
    return unsent.written;
  }

  /** What was written last, if nothing was written here until it came. */
  async newest(untouched: () => boolean): Promise<Written | undefined> {
    try {
      const [newest] = (await unwrap(api.GET('/api/member/template-drafts'))).drafts;
      const draft = newest && (await this.#read(newest.draft_id));
      return draft && untouched() ? this.#show(draft) : undefined;
    } catch {
      return undefined; // what is typed is kept all the same
    }
  }

  /** Undefined while what is written now cannot be sent, which would be lost. */
  async open(draft_id: string): Promise<Written | undefined> {
    const draft = await this.#read(draft_id);
    return (await this.#settle()) ? this.#show(draft) : undefined;
  }

  /** Gives what was saved from elsewhere, in the place of what was written here. */
  takeOther(): Written | undefined {
    const other = this.other;
    this.#forget();
    return other && other !== 'gone' ? this.#show(other) : undefined;
  }

  /** Keeps what was written here as a draft of its own. */
  keepBoth(): Promise<void> {
    const wanted = this.#wanted;
    this.#forget();
    if (wanted) this.change(wanted);
    return this.flush();
  }

  /** The next that is written is another draft; false while what is written now cannot be sent. */
  async begin(): Promise<boolean> {
    const settled = await this.#settle();
    if (settled) this.#forget();
    return settled;
  }

  /** It was submitted: no draft of it is left. */
  async submitted(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    const { id } = this;
    const there = this.#revision > 0;
    this.#forget();
    if (there) await unwrap(api.DELETE('/api/member/template-drafts/{draft_id}', { params: { path: { draft_id: id } } })).catch(() => undefined);
    publishing.written++;
  }

  change(written: Written): void {
    this.#wanted = written;
    clearTimeout(this.#timer);
    if (JSON.stringify(written) === this.#kept) return;
    if (this.#revision === 0 && isEmpty(written)) {
      this.#keepHere(undefined);
      this.state = '';
      return;
    }
    this.state = this.#keepHere(written) ? 'saving' : 'failed';
    if (!this.other) this.#timer = setTimeout(() => void this.flush(), pause);
  }

  /** Sends what is not sent yet. */
  flush = (): Promise<void> => {
    clearTimeout(this.#timer);
    return (this.#sending = this.#sending.then(() => this.#send()));
  };

  async #settle(): Promise<boolean> {
    await (this.other ? this.keepBoth() : this.flush());
    const wanted = this.#wanted;
    return !wanted || JSON.stringify(wanted) === this.#kept || (this.#revision === 0 && isEmpty(wanted));
  }

  async #send(): Promise<void> {
    const wanted = this.#wanted;
    const text = JSON.stringify(wanted);
    if (!wanted || this.other || text === this.#kept || (this.#revision === 0 && isEmpty(wanted))) return;
    const { id } = this;
    try {
      const saved = await unwrap(api.POST('/api/member/template-drafts', { body: { draft_id: id, revision: this.#revision, ...bodyOf(wanted) } }));
      if (id !== this.id) return;
      this.#revision = saved.revision;
      this.#kept = text;
      this.failure = undefined;
      publishing.written++;
      if (this.#wanted !== wanted && JSON.stringify(this.#wanted) !== text) return void this.#keepHere(this.#wanted);
      this.#keepHere(undefined);
      this.state = 'saved';
    } catch (error) {
      if (id !== this.id) return;
      this.failure = asApiError(error);
      if (this.failure.code === 'template_draft_changed') {
        this.other = await this.#read(id).catch((reason: unknown) => {
          this.failure = asApiError(reason);
          return this.failure.code === 'template_draft_not_found' ? 'gone' : undefined;
        });
      }
      this.state = this.state === 'failed' ? 'failed' : 'browser';
    }
  }

  #read(draft_id: string): Promise<TemplateDraft> {
    return unwrap(api.GET('/api/member/template-drafts/{draft_id}', { params: { path: { draft_id } } }));
  }

  #show(draft: TemplateDraft): Written {
    this.#forget();
    [this.id, this.#revision] = [draft.draft_id, draft.revision];
    const written = writtenOf(draft);
    this.#kept = JSON.stringify(written);
    return (this.#wanted = written);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.id = newKey();
    [this.#revision, this.#kept, this.#wanted, this.other, this.failure, this.state] = [0, '', undefined, undefined, undefined, ''];
    this.#keepHere(undefined);
  }

  /** Tells whether the browser could. */
  #keepHere(written: Written | undefined): boolean {
    try {
      if (written) localStorage.setItem(this.#place, JSON.stringify({ id: this.id, revision: this.#revision, written } satisfies Unsent));
      else localStorage.removeItem(this.#place);
      return true;
    } catch {
      return false;
    }
  }

  /** What another member left in this browser is removed. */
  #readUnsent(): Unsent | undefined {
    for (const name of Object.keys(localStorage)) if (name.startsWith(places) && name !== this.#place) localStorage.removeItem(name);
    try {
      const found = JSON.parse(localStorage.getItem(this.#place) ?? 'null') as Unsent | Written | null;
      if (!found) return undefined;
      return 'written' in found ? found : { id: newKey(), revision: 0, written: found }; // as earlier pages kept it
    } catch {
      return undefined;
    }
  }
}

function bodyOf({ form, prompt, options }: Written) {
  const { id, tags, ...texts } = form;
  return { template_id: id, ...texts, tags: tagsOf(tags), prompt, ...options };
}

function writtenOf(draft: TemplateDraft): Written {
  const { template_id, version, title, description, category, tags, change_note, prompt, visibility, scan_mode, replace_existing } = draft;
  return {
    form: { id: template_id, version, title, description, category, tags: tags.join(', '), change_note },
    prompt,
    options: { visibility, scan_mode, replace_existing },
  };
}
