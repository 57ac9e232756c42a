import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

// What pages look like, kept as pictures of one pixel for each square of `square` px: small enough to be in the repository, and the
// same on machines whose processors smooth letters differently.

export const square = 30;
/** A square differs from `apart` levels of 255 in a channel on; a view has changed when more than `share` of its squares differ. */
export const tolerance = { apart: 10, share: 0.01 };
const folder = new URL('../fixtures/looks/', import.meta.url);
const place = (name) => new URL(`${name}.png`, folder);

/** In the page: the mean colour of each square of a picture; a thumbnail itself is read with `square` 1. */
async function means({ png, square }) {
  const picture = new Image();
  picture.src = `data:image/png;base64,${png}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  const [columns, rows] = [Math.floor(picture.width / square), Math.floor(picture.height / square)];
  const small = new ImageData(columns, rows);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const { data } = context.getImageData(x * square, y * square, square, square);
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let at = channel; at < data.length; at += 4) sum += data[at];
        small.data[(y * columns + x) * 4 + channel] = Math.round(sum / square ** 2);
      }
    }
  }
  const out = document.createElement('canvas');
  Object.assign(out, { width: columns, height: rows }).getContext('2d').putImageData(small, 0, 0);
  return { columns, rows, data: [...small.data], png: out.toDataURL('image/png').split(',')[1] };
}

/** Which squares of two thumbnails differ, as a share and as the first few places. */
export function differences(before, now) {
  if (before.columns !== now.columns || before.rows !== now.rows) return { share: 1, places: [`${before.columns} × ${before.rows} → ${now.columns} × ${now.rows}`] };
  const places = [];
  for (let at = 0; at < now.data.length; at += 4) {
    const apart = Math.max(...[0, 1, 2].map((channel) => Math.abs(before.data[at + channel] - now.data[at + channel])));
    if (apart >= tolerance.apart) places.push(`${((at / 4) % now.columns) * square},${Math.floor(at / 4 / now.columns) * square} by ${apart}`);
  }
  return { share: places.length / (now.columns * now.rows), places: places.slice(0, 6) };
}

/** Thumbnails made and compared in a page of their own. */
export function thumbnails(blank) {
  const read = (bytes, square) => blank.evaluate(means, { png: bytes.toString('base64'), square });
  return {
    of: (screenshot) => read(screenshot, square),
    /** What is wrong with a view, against the picture of it that is kept; with LOOKS=write that picture is written. */
    async compare(name, screenshot) {
      const now = await read(screenshot, square);
      if (process.env.LOOKS === 'write') {
        mkdirSync(folder, { recursive: true });
        writeFileSync(place(name), Buffer.from(now.png, 'base64'));
        return [];
      }
      if (!existsSync(place(name))) return [`${name}: there is no picture of it; LOOKS=write node --test shape.test.mjs writes it`];
      const { share, places } = differences(await read(readFileSync(place(name)), 1), now);
      return share > tolerance.share ? [`${name}: ${(100 * share).toFixed(1)} % of it looks different (${places.join('; ')}). If that is meant: LOOKS=write node --test shape.test.mjs`] : [];
    },
  };
}
