import { session } from '../lib/session.svelte';
import type { ImportDraft, Submission, TemplateSubmission } from '../lib/types';

export const importOperation = 'member.profile_pack.imports.write';

/** Which of the dialogs of publishing is open. They are loaded when first asked for. */
class Publishing {
  importing = $state(false);
  /** Given by a drop, to be sent at once. */
  file = $state.raw<File>();
  /** The draft under review: its id, and the draft itself where it is here already. */
  reviewing = $state('');
  draft = $state.raw<ImportDraft>();
  /** What was turned down or taken back and is to be submitted again: a setup under review, or a template for the form. */
  again = $state.raw<Submission>();
  rejected = $state.raw<TemplateSubmission>();
  /** The draft of a template that the form is to open. */
  wanted = $state('');
  /** The draft that is in the form, and how often drafts of templates were saved or submitted. */
  writing = $state('');
  written = $state(0);
  /** Counts up when drafts, submissions or transfers may have changed, for lists to read again. */
  changes = $state(0);

  get active(): boolean {
    return this.importing || this.reviewing !== '';
  }

  async import(file?: File): Promise<void> {
    if (!(await session.ensure(importOperation))) return;
    this.file = file;
    this.importing = true;
  }

  review(id: string, draft?: ImportDraft, again?: Submission): void {
    this.importing = false;
    this.again = again;
    this.draft = draft;
    this.reviewing = id;
  }

  close(): void {
    this.importing = false;
    this.reviewing = '';
    this.draft = undefined;
    this.again = undefined;
    this.file = undefined;
  }

  changed = (): void => {
    this.changes++;
  };
}

export const publishing = new Publishing();

/** The address of a view of this surface, whichever of the two it is. */
export function placeHref(params: Record<string, string>): string {
  return `${location.pathname}?${new URLSearchParams(params)}`;
}
