/** A unified diff as rows for people: beside each other or one below the other. */
export type DiffSign = '+' | '-' | ' ' | '@';

export interface DiffLine {
  sign: DiffSign;
  text: string;
  before?: number;
  after?: number;
}

export interface DiffPair {
  left?: DiffLine;
  right?: DiffLine;
}

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function linesOf(unified: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const text of unified) {
    const start = hunk.exec(text);
    if (start) {
      before = Number(start[1]);
      after = Number(start[2]);
      inside = true;
      lines.push({ sign: '@', text });
    } else if (inside) {
      const rest = text.slice(1);
      if (text.startsWith('+')) lines.push({ sign: '+', text: rest, after: after++ });
      else if (text.startsWith('-')) lines.push({ sign: '-', text: rest, before: before++ });
      else if (!text.startsWith('\\')) lines.push({ sign: ' ', text: rest, before: before++, after: after++ });
    }
  }
  return lines;
}

/** Lines that were taken out stand beside those that came in their place. */
export function pairsOf(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let open = 0;
  for (const line of lines) {
    if (line.sign === '-') {
      pairs.push({ left: line });
      open++;
    } else if (line.sign === '+') {
      if (open > 0) pairs[pairs.length - open--]!.right = line;
      else pairs.push({ right: line });
      continue;
    } else {
      pairs.push({ left: line, right: line });
    }
    if (line.sign !== '-') open = 0;
  }
  return pairs;
}
