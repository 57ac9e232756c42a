export interface TitlePart {
  text: string;
  formula: boolean;
}

const formulas = /\$\$([^$]+)\$\$|\$([^$\s](?:[^$]*[^$\s])?)\$(?!\d)|\\\((.+?)\\\)/g;

/** A title in words and formulas, as notes write them. Pure. */
export function titleParts(title: string): TitlePart[] {
  const out: TitlePart[] = [];
  let at = 0;
  for (const found of title.matchAll(formulas)) {
    if (found.index > at) out.push({ text: title.slice(at, found.index), formula: false });
    out.push({ text: (found[1] ?? found[2] ?? found[3])!, formula: true });
    at = found.index + found[0].length;
  }
  if (at < title.length) out.push({ text: title.slice(at), formula: false });
  return out;
}
