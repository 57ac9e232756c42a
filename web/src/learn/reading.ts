/** What of a dropped or chosen folder is a note, and how the notes are sent. */

export const endings = ['.md', '.markdown', '.mdown', '.mdx', '.txt', '.gift', '.csv', '.tsv'];
/** Collections of Anki. */
export const deckEndings = ['.apkg', '.colpkg'];
export const maxDeckBytes = 256 * 1024 * 1024;
/** The server takes this many characters of one note. */
export const maxNoteBytes = 4 * 1024 * 1024;
export const maxNotes = 20_000;
/** A request stays below this, so that progress shows and little is sent again when the network goes. */
const batchBytes = 4 * 1024 * 1024;
const batchNotes = 1000;

/** Pictures, sounds and films that a page can show. */
export const mediaEndings = ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.avif', '.bmp', '.mp3', '.ogg', '.wav', '.m4a', '.flac', '.mp4', '.webm'];
export const maxMediaBytes = 32 * 1024 * 1024;

export interface NoteFile {
  path: string;
  file: File;
}

export type Refusal = 'large' | 'empty' | 'notText' | 'unreadable' | 'tooMany' | 'refused';

export interface Refused {
  path: string;
  why: Refusal;
  /** What the server said, in its words. */
  detail?: string;
}

export interface Gathered {
  notes: NoteFile[];
  /** Of the vaults that the notes stand in. */
  settings: NoteFile[];
  decks: NoteFile[];
  media: NoteFile[];
  refused: Refused[];
  /** Pictures, settings and whatever else is no note. */
  others: number;
}

/** Folders that editors and tools keep for themselves. */
const hidden = /(^|\/)(\.[^/]+|node_modules|__MACOSX)(\/|$)/;
/** The settings of an Obsidian vault that say how its notes are read (folders of templates, marks of cards, macros of formulas), and the hidden folders they lie in. */
const settingsFile = /(^|\/)(\.obsidian\/(templates|plugins\/(templater-obsidian|obsidian-spaced-repetition)\/data)\.json|preamble\.sty)$/;
const settingsFolder = /(^|\/)\.obsidian(\/plugins(\/(templater-obsidian|obsidian-spaced-repetition))?)?$/;

export const isSettings = (path: string) => settingsFile.test(path);

/** Sorts out what can be sent, before anything is. */
export function gather(files: NoteFile[], most = maxNotes): Gathered {
  const out: Gathered = { notes: [], settings: [], decks: [], media: [], refused: [], others: 0 };
  for (const { path, file } of files) {
    const low = path.toLowerCase();
    if (isSettings(path) && file.size > 0 && file.size <= maxNoteBytes) out.settings.push({ path, file });
    else if (!hidden.test(path) && deckEndings.some((ending) => low.endsWith(ending))) {
      if (file.size > maxDeckBytes) out.refused.push({ path, why: 'large' });
      else out.decks.push({ path, file });
    } else if (!hidden.test(path) && file.size > 0 && file.size <= maxMediaBytes && mediaEndings.some((ending) => low.endsWith(ending))) {
      out.media.push({ path, file });
    } else if (hidden.test(path) || !endings.some((ending) => low.endsWith(ending))) out.others++;
    else if (file.size > maxNoteBytes) out.refused.push({ path, why: 'large' });
    else if (file.size === 0) out.refused.push({ path, why: 'empty' });
    else if (out.notes.length >= most) out.refused.push({ path, why: 'tooMany' });
    else out.notes.push({ path, file });
  }
  if (out.notes.length === 0) out.settings = [];
  out.notes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return out;
}

/** Cuts a list into runs that stay below both bounds; one that is larger alone goes alone. */
export function batchesOf<T>(list: T[], size: (item: T) => number, bytes = batchBytes, count = batchNotes): T[][] {
  const out: T[][] = [];
  let sum = 0;
  for (const item of list) {
    const batch = out.at(-1);
    if (!batch || batch.length >= count || sum + size(item) > bytes) {
      out.push([item]);
      sum = size(item);
    } else {
      batch.push(item);
      sum += size(item);
    }
  }
  return out;
}

/** The place in a list that the server complains about, as `documents[3].content`. */
export function placeOf(field: string): number {
  const match = /^documents\D*(\d+)/.exec(field);
  return match ? Number(match[1]) : -1;
}

/** A file that was chosen, with its folder where a folder was chosen. */
export function chosenFiles(list: FileList): NoteFile[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Everything that was dropped, folders read to their ends. Entries must be taken before the drop event is over. */
export function droppedFiles(data: DataTransfer): Promise<{ files: NoteFile[]; unread: string[] }> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
  return entries.length > 0 ? walk(entries) : Promise.resolve({ files: chosenFiles(data.files), unread: [] });
}

async function walk(entries: FileSystemEntry[]): Promise<{ files: NoteFile[]; unread: string[] }> {
  const files: NoteFile[] = [];
  const unread: string[] = [];
  const queue = [...entries];
  for (let entry = queue.shift(); entry; entry = queue.shift()) {
    const path = entry.fullPath.replace(/^\//, '');
    try {
      if (entry.isDirectory) {
        if (!hidden.test(`${path}/`) || settingsFolder.test(path)) queue.push(...(await entriesOf(entry as FileSystemDirectoryEntry)));
      } else {
        files.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
      }
    } catch {
      unread.push(path);
    }
  }
  return { files, unread };
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((done, fail) => entry.file(done, fail));

/** A reader gives a hundred at a time and then none. */
async function entriesOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const shows = /!\[\[([^\]|#]+)|\]\(\s*<?([^)>\n]+)|\bsrc\s*=\s*["']?([^"'\s>]+)/g;

/** The reader's time zone where notes hold schedules of Obsidian's Spaced Repetition, whose days are local ones. */
export function zoneFor(documents: readonly { content: string }[]): string | undefined {
  if (!documents.some(({ content }) => content.includes('<!--SR:') || content.includes('\nsr-due:'))) return undefined;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === 'Etc/Unknown' ? undefined : zone;
}

/** The names of the files that a note shows or links to, without their folders. */
export function shownIn(text: string): string[] {
  return [...text.matchAll(shows)].flatMap((found) => {
    const [target = ''] = (found[1] ?? found[2] ?? found[3] ?? '').split(/\s+["']/);
    const name = nameOf(target.trim());
    return mediaEndings.some((ending) => name.endsWith(ending)) ? [name] : [];
  });
}

/** The name of a file, as names are compared. */
export function nameOf(path: string): string {
  let name = path.split('/').at(-1)!;
  try {
    name = decodeURIComponent(name);
  } catch {
    // It is no escaped name.
  }
  return name.normalize('NFC').toLowerCase();
}

/** The text of a note; a file that is not UTF-8 text throws. */
/** As in internal/learning/questions/author_formats.go, where a test compares them. */
const asks = /^(question|q|front|term|prompt|word|recto|frage|vorderseite|begriff|vokabel|wort|domanda|termine|parola|pregunta|pergunta|вопрос|термин|слово|问题|題目|题目|正面|单词|词语|質問|問題|表|単語|用語)$/i;
const answers = /^(answer|a|back|definition|meaning|translation|verso|réponse|antwort|rückseite|bedeutung|übersetzung|risposta|definizione|significato|respuesta|resposta|ответ|определение|перевод|答案|背面|反面|释义|意思|解释|回答|答え|裏|意味)$/i;

/** Whether a file is a table of data: nothing to learn, unlike a table with a column of questions and one of answers. */
export function isData(path: string, text: string): boolean {
  if (!/\.[ct]sv$/i.test(path)) return false;
  const heads = (text.split('\n', 1)[0] ?? '').split(/[,;\t]/).map((head) => head.replace(/^[\s"\ufeff]+|[\s"]+$/g, ''));
  return !heads.some((head) => asks.test(head)) || !heads.some((head) => answers.test(head));
}

export async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  if (text.includes('\0')) throw new TypeError('not a text');
  return text;
}
