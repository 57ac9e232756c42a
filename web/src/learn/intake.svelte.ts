import { api, isAbort, unwrap } from '../lib/api';
import { ApiError, asApiError } from '../lib/errors';
import { session } from '../lib/session.svelte';
import { newKey, send } from '../publish/send';
import { batchesOf, gather, isData, isSettings, nameOf, type NoteFile, placeOf, type Refused, shownIn, textOf, zoneFor } from './reading';
import { school } from './school.svelte';
import type { AnkiImport, IngestResult } from './types';

type Phase = 'idle' | 'reading' | 'sending' | 'paused' | 'done' | 'cancelled';

/** Notes on their way in: batch after batch, so that what is there stays and the rest can follow. */
class Intake {
  phase = $state<Phase>('idle');
  notes = $state(0);
  bytes = $state(0);
  sentNotes = $state(0);
  sentBytes = $state(0);
  others = $state(0);
  changed = $state(0);
  refused = $state.raw<Refused[]>([]);
  failure = $state.raw<ApiError>();
  /** What the server said of the last batch: its totals are those of everything. */
  result = $state.raw<IngestResult>();
  /** What became of each Anki collection. */
  decks = $state.raw<{ path: string; result: AnkiImport }[]>([]);

  /** Pictures and sounds that the notes show and that are kept now. */
  pictures = $state(0);

  #batches: NoteFile[][] = [];
  #media: NoteFile[] = [];
  #shown = new Set<string>();
  #decks: NoteFile[] = [];
  #key = '';
  #abort = new AbortController();

  get running(): boolean {
    return this.phase === 'reading' || this.phase === 'sending';
  }

  /** Folders take a moment to be read; the page says so meanwhile. */
  async begin(files: Promise<{ files: NoteFile[]; unread: string[] }>): Promise<void> {
    if (this.running) return;
    this.forget();
    this.phase = 'reading';
    const { files: found, unread } = await files;
    const gathered = gather(found);
    this.refused = [...unread.map((path) => ({ path, why: 'unreadable' as const })), ...gathered.refused];
    this.others = gathered.others;
    this.notes = gathered.notes.length;
    this.bytes = gathered.notes.reduce((sum, { file }) => sum + file.size, 0);
    this.#batches = batchesOf([...gathered.settings, ...gathered.notes], ({ file }) => file.size);
    this.#decks = gathered.decks;
    this.#media = gathered.media;
    this.bytes += gathered.decks.reduce((sum, { file }) => sum + file.size, 0);
    await this.run();
  }

  /** Sends what is left; after a pause with the key of the batch that was on its way, so that it counts once. */
  run = async (): Promise<void> => {
    this.phase = 'sending';
    this.failure = undefined;
    this.#abort = new AbortController();
    try {
      for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
        this.#key ||= newKey();
        if (!(await this.#send(batch))) return;
      }
      for (let medium = this.#media[0]; medium; medium = this.#media[0]) if (!(await this.#sendMedium(medium))) return;
      for (let deck = this.#decks[0]; deck; deck = this.#decks[0]) if (!(await this.#sendDeck(deck))) return;
      this.phase = 'done';
    } catch (error) {
      this.phase = isAbort(error) ? 'cancelled' : 'paused';
      if (this.phase === 'paused') this.failure = asApiError(error);
    }
    if (this.result || this.decks.length > 0) void school.load();
  };

  async #send(batch: NoteFile[]): Promise<boolean> {
    const documents: { sourcePath: string; content: string }[] = [];
    const kept: NoteFile[] = [];
    for (const note of batch) {
      this.#abort.signal.throwIfAborted();
      try {
        const content = await textOf(note.file);
        if (isData(note.path, content)) {
          this.others++;
          this.#leave(note);
          continue;
        }
        documents.push({ sourcePath: note.path, content });
        for (const name of shownIn(content)) this.#shown.add(name);
        kept.push(note);
      } catch (error) {
        this.#refuse(note, error instanceof TypeError ? 'notText' : 'unreadable');
      }
    }
    this.#batches[0] = kept;
    if (kept.length > 0) {
      const params = { header: { 'Idempotency-Key': this.#key } };
      const zone = zoneFor(documents);
      try {
        const sent = await session.run('knowledge.ingest', () => unwrap(api.POST('/api/knowledge/ingest', { params, body: { documents, ...(zone && { timeZone: zone }) }, signal: this.#abort.signal })));
        if (!sent) {
          this.phase = 'cancelled';
          return false;
        }
        this.result = sent;
        const settings = sent.staleness.filter(({ sourcePath, status }) => isSettings(sourcePath) && status !== 'unchanged');
        this.changed += sent.summary.changedDocuments - settings.length;
      } catch (error) {
        if (this.#takeOut(kept, error)) return true;
        throw error;
      }
    }
    const notes = kept.filter(({ path }) => !isSettings(path));
    this.sentNotes += notes.length;
    this.sentBytes += notes.reduce((sum, { file }) => sum + file.size, 0);
    this.#batches.shift();
    this.#key = '';
    return true;
  }

  /** Of the pictures and sounds of a folder those go along that a note shows. One that the server refuses is named. */
  async #sendMedium(medium: NoteFile): Promise<boolean> {
    if (this.#shown.has(nameOf(medium.path))) {
      try {
        const kept = await session.run('knowledge.ingest', () =>
          send({ path: '/api/knowledge/media', fields: { sourcePath: medium.path }, file: { field: 'content_base64', blob: medium.file }, key: newKey(), signal: this.#abort.signal }),
        );
        if (!kept) {
          this.phase = 'cancelled';
          return false;
        }
        this.pictures++;
      } catch (error) {
        const failure = isAbort(error) ? undefined : asApiError(error);
        if (!failure || failure.status < 400 || failure.status > 499 || failure.status === 429) throw error;
        this.refused = [...this.refused, { path: medium.path, why: 'refused', detail: failure.message }];
      }
    } else this.others++;
    this.#media.shift();
    return true;
  }

  /** A collection goes as one; the same one again changes nothing. */
  async #sendDeck(deck: NoteFile): Promise<boolean> {
    const before = this.sentBytes;
    try {
      const result = await session.run('knowledge.ingest', () =>
        send<AnkiImport>({
          path: '/api/knowledge/anki/import',
          fields: { filename: deck.file.name },
          file: { field: 'content_base64', blob: deck.file },
          key: newKey(),
          signal: this.#abort.signal,
          onsent: (bytes) => (this.sentBytes = before + bytes),
        }),
      );
      if (!result) {
        this.phase = 'cancelled';
        return false;
      }
      this.decks = [...this.decks, { path: deck.path, result }];
    } catch (error) {
      const failure = isAbort(error) ? undefined : asApiError(error);
      if (!failure || failure.status < 400 || failure.status > 499 || failure.status === 429) throw error;
      this.refused = [...this.refused, { path: deck.path, why: 'refused', detail: failure.message }];
    }
    this.sentBytes = before + deck.file.size;
    this.#decks.shift();
    return true;
  }

  /** Takes out the notes that the server names, so that the others of the batch get in. */
  #takeOut(kept: NoteFile[], error: unknown): boolean {
    if (!(error instanceof ApiError) || error.status !== 422) return false;
    const named = new Map(error.details.map(({ field, problem }) => [placeOf(field), problem]));
    const bad = kept.filter((_, index) => named.has(index));
    if (bad.length === 0) return false;
    for (const note of bad) this.#refuse(note, 'refused', named.get(kept.indexOf(note)));
    this.#batches[0] = kept.filter((note) => !bad.includes(note));
    this.#key = '';
    return true;
  }

  #refuse(note: NoteFile, why: Refused['why'], detail?: string) {
    this.refused = [...this.refused, { path: note.path, why, detail }];
    this.#leave(note);
  }

  #leave(note: NoteFile) {
    if (isSettings(note.path)) return; // it is not counted
    this.notes--;
    this.bytes -= note.file.size;
  }

  cancel = (): void => {
    this.#abort.abort();
    if (this.phase === 'paused') this.phase = 'cancelled';
  };

  forget = (): void => {
    this.phase = 'idle';
    this.notes = this.bytes = this.sentNotes = this.sentBytes = this.others = this.changed = this.pictures = 0;
    this.refused = [];
    this.failure = undefined;
    this.result = undefined;
    this.decks = [];
    this.#batches = [];
    this.#decks = [];
    this.#media = [];
    this.#shown.clear();
    this.#key = '';
  };
}

export const intake = new Intake();
