/**
 * JSON text whose numbers keep their spelling: a browser's own reading loses digits of large ones and writes 1.0 as 1. The
 * configuration of a bot goes back as a whole, so nothing of it may be respelled but the one value that changes.
 */
const token = /[\s]*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+)/y;

/** A value inside of a text: where it stands, and its members or items. */
interface Node {
  from: number;
  to: number;
  members?: Map<string, Node>;
  items?: Node[];
}

class Reader {
  #at = 0;
  constructor(private readonly text: string) {
    JSON.parse(text); // throws at what is no JSON; below it is taken to be
  }

  #next(): { word: string; from: number } {
    token.lastIndex = this.#at;
    const word = token.exec(this.text)![1]!;
    this.#at = token.lastIndex;
    return { word, from: this.#at - word.length };
  }

  value({ word, from } = this.#next()): Node {
    if (word === '{') return this.#object(from);
    if (word !== '[') return { from, to: this.#at };
    const items: Node[] = [];
    for (let next = this.#next(); next.word !== ']'; next = this.#next()) if (next.word !== ',') items.push(this.value(next));
    return { from, to: this.#at, items };
  }

  #object(from: number): Node {
    const members = new Map<string, Node>();
    for (let next = this.#next(); next.word !== '}'; next = this.#next()) {
      if (next.word === ',') continue;
      this.#next(); // the colon
      members.set(JSON.parse(next.word) as string, this.value());
    }
    return { from, to: this.#at, members };
  }
}

const read = (text: string) => new Reader(text).value();

function found(node: Node | undefined, path: readonly string[]): Node | undefined {
  return path.reduce((at, name) => at?.members?.get(name), node);
}

/** The text of what stands at a path, undefined where nothing does. */
export function textAt(text: string, path: readonly string[]): string | undefined {
  const node = found(read(text), path);
  return node && text.slice(node.from, node.to);
}

/** The texts of a list's items, undefined for what is no list. */
export const itemsOf = (text: string): string[] | undefined => read(text).items?.map(({ from, to }) => text.slice(from, to));

/** As canonical writes a value, its numbers as they were spelled. */
export function spelled(text: string): string {
  const write = (node: Node): string => {
    if (node.items) return `[${node.items.map(write).join()}]`;
    if (node.members) return `{${[...node.members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join()}}`;
    const leaf = text.slice(node.from, node.to);
    return leaf.startsWith('"') ? JSON.stringify(JSON.parse(leaf)) : leaf;
  };
  return write(read(text));
}

/** The text with one member of an object set, or taken out by null; all else as it stood. undefined when the objects above it are not there. */
export function withMember(text: string, path: readonly string[], value: string | null): string | undefined {
  const above = found(read(text), path.slice(0, -1));
  if (!above?.members) return undefined;
  const name = path.at(-1)!;
  const all = [...above.members];
  const at = all.findIndex(([one]) => one === name);
  const put = (from: number, to: number, what: string) => text.slice(0, from) + what + text.slice(to);
  if (at < 0) return value === null ? text : put(above.to - 1, above.to - 1, `${all.length > 0 ? ',' : ''}${JSON.stringify(name)}:${value}`);
  const { from, to } = all[at]![1];
  if (value !== null) return put(from, to, value);
  // With its name and one of the commas beside it.
  const start = at > 0 ? all[at - 1]![1].to : above.from + 1;
  const end = at === 0 && all.length > 1 ? text.indexOf(',', to) + 1 : to;
  return put(start, end, '');
}
