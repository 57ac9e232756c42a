/** A line of what changes in a text. */
export interface Line {
  sign: '+' | '-' | ' ';
  text: string;
}

const maxLines = 2000;
/** Unchanged lines that are shown beside changed ones. */
const around = 2;

/** What changes between two texts, line by line, with a little of what stays; texts of very many lines are shown whole, one after the other. */
export function differenceOf(before: string, after: string): Line[] {
  const old = before === '' ? [] : before.split('\n');
  const next = after === '' ? [] : after.split('\n');
  if (old.length > maxLines || next.length > maxLines) return [...old.map((text): Line => ({ sign: '-', text })), ...next.map((text): Line => ({ sign: '+', text }))];
  // common[i][j] is how many lines the rests from i and j have in common.
  const width = next.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === next[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < old.length || j < next.length; ) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ sign: ' ', text: old[i++]! });
      j++;
    } else if (j >= next.length || (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) lines.push({ sign: '-', text: old[i++]! });
    else lines.push({ sign: '+', text: next[j++]! });
  }
  const near = (at: number) => lines.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ');
  return lines.filter((_, at) => near(at));
}

/** A value for people: its texts as they are, what else there is one member a line. */
export function readable(value: string | null): string {
  if (value === null) return '';
  const members: unknown = JSON.parse(value);
  if (typeof members !== 'object' || members === null) return value;
  const rest = { ...members } as Record<string, unknown>;
  const texts: string[] = [];
  for (const name of ['system_prompt', 'text']) {
    if (typeof rest[name] !== 'string') continue;
    texts.push(rest[name]);
    delete rest[name];
  }
  const empty = Object.values(rest).every((member) => member === null || (Array.isArray(member) && member.length === 0));
  return [...texts, ...(empty ? [] : [JSON.stringify(rest, null, 2)])].join('\n');
}
