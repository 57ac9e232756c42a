/** Names of sounds among the files of a vault or a collection. */
export const sounds = /\.(mp3|ogg|oga|opus|wav|m4a|flac|3gp|aac)$/i;

/** Where the server keeps a file: of a vault or a collection, as its name says. */
export function mediaPath(name: string): string {
  return `/api/knowledge/media?name=${encodeURIComponent(name)}`;
}

/** Where it keeps a file of an imported collection. */
export function cardMedia(name: string): string {
  return mediaPath(`anki:${name}`);
}
