/** One of the things to choose from. */
export interface Option<V extends string | number = string> {
  value: V;
  label: string;
  lang?: string;
  disabled?: boolean;
  /** Said once above those that follow each other under the same heading. */
  group?: string;
}

/** Where a step from a place leads: past what cannot be chosen, and no further than the ends. */
export function move(options: readonly Option<string | number>[], from: number, step: number): number {
  const way = Math.sign(step);
  let to = from;
  for (let left = Math.abs(step), next = from + way; left > 0 && next >= 0 && next < options.length; next += way) {
    if (options[next]!.disabled) continue;
    to = next;
    left--;
  }
  return to;
}

/** The next option that begins with what was typed; the same letter again and again goes from one to the next. */
export function matching(options: readonly Option<string | number>[], typed: string, from: number): number {
  const text = typed.toLowerCase();
  const same = [...text].every((letter) => letter === text[0]);
  const wanted = same ? text[0]! : text;
  const start = same ? from + 1 : Math.max(from, 0);
  for (let n = 0; n < options.length; n++) {
    const index = (start + n) % options.length;
    if (!options[index]!.disabled && options[index]!.label.toLowerCase().startsWith(wanted)) return index;
  }
  return -1;
}
