import { api, unwrap } from '../lib/api';
import type { DraftChoices, RedactionMode } from '../lib/types';
import { tagsOf, type Choices, type Describing } from './describe';

/** What is chosen for a draft and not submitted yet. */
export interface Chosen {
  form: Describing;
  options: Choices;
  left: ReadonlySet<string>;
  mode: RedactionMode;
}

const pause = 800;

/** What the server keeps, as the fields of the dialog. */
export function chosenOf(kept: DraftChoices): Chosen {
  const { pack_id, version, title, description, category, tags, change_note, visibility, scan_mode, replace_existing } = kept;
  return {
    form: { id: pack_id, version, title, description, category, tags: tags.join(', '), change_note },
    options: { visibility, scan_mode, replace_existing },
    left: new Set(kept.left_out),
    mode: kept.redaction_mode as RedactionMode,
  };
}

/** Keeps the choices of a draft on the server: a moment after each change, and when the dialog closes. */
export class ChoiceKeeper {
  state = $state<'' | 'saving' | 'saved' | 'failed'>('');
  #kept = '';
  #wanted = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly id: string) {}

  /** What is on the server already. */
  begin(chosen: Chosen): void {
    this.#kept = this.#wanted = textOf(chosen);
  }

  change(chosen: Chosen): void {
    this.#wanted = textOf(chosen);
    clearTimeout(this.#timer);
    if (this.#wanted !== this.#kept) this.#timer = setTimeout(() => void this.flush(), pause);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#wanted === this.#kept) return;
    const text = (this.#kept = this.#wanted);
    this.state = 'saving';
    try {
      await unwrap(api.POST('/api/member/profile-pack/import-choices', { body: { import_id: this.id, ...JSON.parse(text) } }));
      this.state = 'saved';
    } catch {
      this.#kept = '';
      this.state = 'failed';
    }
  }
}

function textOf({ form, options, left, mode }: Chosen): string {
  const { id, tags, ...texts } = form;
  return JSON.stringify({ pack_id: id.trim(), ...texts, tags: tagsOf(tags), left_out: [...left].sort(), redaction_mode: mode, ...options });
}
