/** A text of a card in parts: words, and the pictures and sounds of its collection. Pure. */

export type Part = { text: string } | { media: string; sound: boolean };

const mark = /!\[\]\(<([^<>]+)>\)/g;
export const sounds = /\.(mp3|ogg|oga|opus|wav|m4a|flac|3gp|aac)$/i;

export function partsOf(text: string): Part[] {
  const out: Part[] = [];
  let at = 0;
  for (const found of text.matchAll(mark)) {
    if (found.index > at) out.push({ text: text.slice(at, found.index) });
    out.push({ media: found[1]!, sound: sounds.test(found[1]!) });
    at = found.index + found[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at) });
  return out;
}

/** Where the server keeps a file: of a vault or a collection, as its name says. */
export function mediaPath(name: string): string {
  return `/api/knowledge/media?name=${encodeURIComponent(name)}`;
}

/** Where it keeps a file of an imported collection. */
export function cardMedia(name: string): string {
  return mediaPath(`anki:${name}`);
}
