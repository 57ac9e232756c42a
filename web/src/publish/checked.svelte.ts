import { api, isAbort, unwrap } from '../lib/api';
import { t } from '../lib/i18n.svelte';
import { session } from '../lib/session.svelte';
import type { Kind, SubmissionCheck } from '../lib/types';
import type { Describing } from './describe';

const pause = 300;

/** What the server says of a submission while it is typed. What it cannot say now, it says when it is submitted. */
export class Checked {
  answer = $state.raw<SubmissionCheck>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();

  constructor(readonly kind: Kind) {}

  look(form: Describing, text = ''): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
    if (session.can('member.submissions.check')) this.#timer = setTimeout(() => void this.#ask(form, text), pause);
  }

  async #ask({ id, version, title }: Describing, text: string): Promise<void> {
    const { signal } = (this.#asking = new AbortController());
    try {
      this.answer = await unwrap(api.POST('/api/member/submissions/check', { body: { kind: this.kind, item_id: id, version, title, text }, signal }));
    } catch (error) {
      if (!isAbort(error)) this.answer = undefined;
    }
  }

  /** What is wrong with a field, in the reader's words; a field that is still empty is not judged. */
  problem(field: 'item_id' | 'version' | 'title'): string {
    const found = this.answer?.problems.find((one) => one.field === field && one.problem !== 'missing');
    return found ? t(`check.${field}.${found.problem}` as 'check.version.older', { version: this.answer!.published_version, next: this.answer!.next_version }) : '';
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
  }
}
