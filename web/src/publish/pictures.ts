/** A picture for an item's page, as it is sent. */
export interface Chosen {
  name: string;
  content_base64: string;
  /** The same to look at. */
  src: string;
}

export type Refused = 'type' | 'broken' | 'large';

export const mostPictures = 5;
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp'];
const mostBytes = 1 << 20;
const longestSide = 2048;
/** A file that is read at all. */
const mostRead = 20 << 20;

/**
 * Reads a chosen file and draws it anew: so a WebP becomes a JPEG, which every program reads, a large one small enough to be
 * taken, and nothing that a camera wrote beside the picture is sent.
 */
export async function pictureOf(file: File, number: number): Promise<Chosen | Refused> {
  if (!pictureTypes.includes(file.type)) return 'type';
  if (file.size > mostRead) return 'large';
  const drawn = await createImageBitmap(file).catch(() => undefined);
  if (!drawn) return 'broken';
  const scale = Math.min(1, longestSide / Math.max(drawn.width, drawn.height));
  const canvas = Object.assign(document.createElement('canvas'), { width: Math.max(1, Math.round(drawn.width * scale)), height: Math.max(1, Math.round(drawn.height * scale)) });
  canvas.getContext('2d')!.drawImage(drawn, 0, 0, canvas.width, canvas.height);
  drawn.close();
  const forms = [...(file.type === 'image/png' ? [['png', 1] as const] : []), ['jpeg', 0.9] as const, ['jpeg', 0.6] as const];
  for (const [type, quality] of forms) {
    const src = canvas.toDataURL(`image/${type}`, quality);
    const content_base64 = src.slice(src.indexOf(',') + 1);
    if (content_base64.length * 0.75 <= mostBytes) return { name: `${number}.${type === 'png' ? 'png' : 'jpg'}`, content_base64, src };
  }
  return 'large';
}
