import { isAbort } from '../lib/api';
import { ApiError, asApiError } from '../lib/errors';
import { session } from '../lib/session.svelte';
import { newKey, send } from './send';

export type UploadKind = 'import' | 'template';
type Phase = 'reading' | 'sending' | 'waiting' | 'paused' | 'failed' | 'done' | 'cancelled';

interface Plan {
  kind: UploadKind;
  name: string;
  blob?: Blob;
  path: string;
  operation: string;
  field: string;
  fields: Record<string, unknown>;
  ondone?: (answer: never) => void;
}

/** One file on its way. Its key stays the same however often it is sent, so the server takes it once. */
export class Upload {
  readonly key = newKey();
  readonly kind: UploadKind;
  readonly name: string;
  readonly size: number;
  phase = $state<Phase>('reading');
  sent = $state(0);
  failure = $state.raw<ApiError>();

  #plan: Plan;
  #abort = new AbortController();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.kind = plan.kind;
    this.name = plan.name;
    this.size = plan.blob?.size ?? 0;
  }

  get running(): boolean {
    return this.phase === 'reading' || this.phase === 'sending' || this.phase === 'waiting';
  }

  run = async (): Promise<void> => {
    if (this.phase !== 'reading' && this.running) return;
    this.#abort = new AbortController();
    this.phase = 'reading';
    this.sent = 0;
    this.failure = undefined;
    try {
      const answer = await session.run(this.#plan.operation, () => this.#send());
      if (answer === undefined) {
        this.phase = 'cancelled';
        return;
      }
      this.phase = 'done';
      this.#plan.ondone?.(answer as never);
    } catch (error) {
      if (isAbort(error)) {
        this.phase = 'cancelled';
        return;
      }
      this.failure = asApiError(error);
      // What may pass by itself is a pause: nothing is lost, the same key goes out again.
      this.phase = this.failure.code === 'network' || this.failure.status >= 500 || this.failure.status === 429 ? 'paused' : 'failed';
    }
  };

  cancel = (): void => {
    this.#abort.abort();
    if (!this.running) this.phase = 'cancelled';
  };

  #send(): Promise<unknown> {
    const { blob, field, fields, path } = this.#plan;
    return send({
      path,
      fields,
      file: blob && { field, blob },
      key: this.key,
      signal: this.#abort.signal,
      onsent: (bytes) => {
        this.sent = bytes;
        // All bytes are out; the server reads, checks and answers.
        this.phase = bytes >= this.size ? 'waiting' : 'sending';
      },
    });
  }
}

/** The uploads of this page, newest first. They go on while another view is shown. */
class Uploads {
  items = $state.raw<Upload[]>([]);

  add(plan: Plan): Upload {
    const upload = new Upload(plan);
    this.items = [upload, ...this.items];
    void upload.run();
    return upload;
  }

  drop(upload: Upload): void {
    this.items = this.items.filter((item) => item !== upload);
  }

  get unfinished(): boolean {
    return this.items.some((item) => item.running || item.phase === 'paused');
  }
}

export const uploads = new Uploads();

// Back on the network: what paused for it goes on.
addEventListener('online', () => {
  for (const upload of uploads.items) if (upload.phase === 'paused' && upload.failure?.code === 'network') void upload.run();
});

// Leaving the page now would end them.
addEventListener('beforeunload', (event) => {
  if (uploads.unfinished) event.preventDefault();
});
