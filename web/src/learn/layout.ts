import type { Concept, Relation } from './types';

/** Where the concepts stand on the map: columns by level, and within a column near what they hang together with. */

export const box = { width: 176, height: 40 };
const gap = { x: 72, y: 14, within: 24 };

export interface Place {
  x: number;
  y: number;
}

export interface Layout {
  places: Map<string, Place>;
  width: number;
  height: number;
  /** What long lines pass through, by relation. */
  ways: Map<string, Place[]>;
  /** The left edge of each level's columns. */
  levels: { level: number; x: number }[];
}

/** A level with more concepts than this is folded into several columns: a map should be no taller than it is wide. */
export function tallest(count: number): number {
  return Math.max(6, Math.ceil(Math.sqrt(count * 1.6)));
}

export function layoutOf(nodes: Concept[], edges: Relation[]): Layout {
  const byLevel = new Map<number, string[]>();
  for (const node of nodes) byLevel.set(node.level, [...(byLevel.get(node.level) ?? []), node.atomId]);
  const order = [...byLevel.keys()].sort((a, b) => a - b);
  const levels = new Map(nodes.map((node) => [node.atomId, node.level]));
  const needs = new Map<string, string[]>();
  const opens = new Map<string, string[]>();
  const ways = new Map<string, string[]>();
  const join = (source: string, target: string) => {
    needs.set(target, [...(needs.get(target) ?? []), source]);
    opens.set(source, [...(opens.get(source) ?? []), target]);
  };
  const long = roomForWays(nodes, edges, levels, order);
  for (const { edgeId, sourceAtomId: source, targetAtomId: target, relationKind } of edges) {
    if (relationKind !== 'prerequisite' || !levels.has(source) || !levels.has(target)) continue;
    // A line over several levels takes a place in each of them, so that it goes between the concepts and not behind them.
    const between = long ? order.filter((level) => level > levels.get(source)! && level < levels.get(target)!) : [];
    const way = between.map((level) => `${edgeId}@${level}`);
    way.forEach((id, index) => byLevel.get(between[index]!)!.push(id));
    if (way.length > 0) ways.set(edgeId, way);
    [source, ...way, target].reduce((from, to) => (join(from, to), to));
  }
  const rank = new Map<string, number>();
  const number = (list: string[]) => list.forEach((id, index) => rank.set(id, (index + 0.5) / list.length));
  for (const level of order) number(byLevel.get(level)!);
  // There and back a few times, each concept moves to the mean place of its neighbours on the side that is settled.
  const sweep = (order: number[], near: Map<string, string[]>) => {
    for (const level of order) {
      const list = byLevel.get(level)!;
      const wish = new Map(list.map((id) => [id, mean((near.get(id) ?? []).map((other) => rank.get(other)), rank.get(id)!)]));
      list.sort((a, b) => wish.get(a)! - wish.get(b)! || rank.get(a)! - rank.get(b)!);
      number(list);
    }
  };
  for (let round = 0; round < 4; round++) {
    sweep(order, needs);
    sweep([...order].reverse(), opens);
  }
  const columns = order.map((level) => ({ level, list: byLevel.get(level)! }));
  return place(columns, columns.reduce((sum, { list }) => sum + list.length, 0), ways);
}

/** Whether the map is small enough for long lines to have places of their own. */
function roomForWays(nodes: Concept[], edges: Relation[], levels: Map<string, number>, order: number[]): boolean {
  let places = nodes.length;
  for (const { sourceAtomId, targetAtomId, relationKind } of edges) {
    const from = levels.get(sourceAtomId);
    const to = levels.get(targetAtomId);
    if (relationKind === 'prerequisite' && from !== undefined && to !== undefined) places += order.filter((level) => level > from && level < to).length;
  }
  return places <= 120;
}

function mean(values: (number | undefined)[], otherwise: number): number {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : otherwise;
}

function place(columns: { level: number; list: string[] }[], count: number, ways: Map<string, string[]>): Layout {
  const most = tallest(count);
  const out: Layout = { places: new Map(), ways: new Map(), width: 0, height: 0, levels: [] };
  const step = box.height + gap.y;
  const rows = Math.min(most, Math.max(1, ...columns.map(({ list }) => list.length)));
  let x = 0;
  for (const { level, list } of columns) {
    const folds = Math.ceil(list.length / most);
    const per = Math.ceil(list.length / folds);
    out.levels.push({ level, x });
    list.forEach((id, index) => {
      const fold = Math.floor(index / per);
      const here = Math.min(per, list.length - fold * per);
      const top = ((rows - here) * step) / 2;
      out.places.set(id, { x: x + fold * (box.width + gap.within), y: top + (index % per) * step });
    });
    x += folds * box.width + (folds - 1) * gap.within + gap.x;
  }
  for (const [edge, way] of ways) {
    out.ways.set(edge, way.map((id) => out.places.get(id)!));
    for (const id of way) out.places.delete(id);
  }
  out.width = Math.max(box.width, x - gap.x);
  out.height = rows * step - gap.y;
  return out;
}

/** A line from the right of one concept to the left of another, leaving and arriving level, through the places on its way. */
export function curve(from: Place, to: Place, way: Place[] = []): string {
  const middle = box.height / 2;
  let line = `M${round(from.x + box.width)} ${round(from.y + middle)}`;
  let at = { x: from.x + box.width, y: from.y + middle };
  for (const next of [...way, to]) {
    const end = { x: next.x, y: next.y + middle };
    const bend = Math.max(28, Math.abs(end.x - at.x) / 2);
    line += `C${round(at.x + bend)} ${round(at.y)} ${round(end.x - bend)} ${round(end.y)} ${round(end.x)} ${round(end.y)}`;
    at = end;
    if (next !== to) {
      at = { x: end.x + box.width, y: end.y };
      line += `H${round(at.x)}`;
    }
  }
  return line;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** A title that fits a box: a wide character takes two places. */
export function fitted(title: string, places = 17): string {
  const wide = (char: string) => (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/.test(char) ? 2 : 1);
  const chars = [...title];
  let used = 0;
  for (const [index, char] of chars.entries()) {
    used += wide(char);
    if (used > places) return `${chars.slice(0, Math.max(1, index - 1)).join('').trimEnd()}…`;
  }
  return title;
}

/** What the window onto the map shows. */
export interface Frame {
  x: number;
  y: number;
  /** Pixels per unit of the map. */
  scale: number;
}

export const scales = { least: 0.15, most: 2.5, legible: 0.62 };

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** The whole map where its titles can be read so, else its left part around the wanted concept. */
export function framed(layout: Layout, width: number, height: number, at?: Place, whole = false): Frame {
  const margin = 24;
  const fit = Math.min((width - 2 * margin) / layout.width, (height - 2 * margin) / layout.height);
  const scale = clamp(whole ? fit : Math.max(fit, scales.legible), scales.least, 1.1);
  const centre = { x: layout.width / 2, y: layout.height / 2 };
  const aim = !whole && fit < scale && at ? { x: at.x + box.width / 2, y: at.y + box.height / 2 } : centre;
  // What does not fit is shown from its edge on, never with empty ground where there could be concepts.
  const within = (centre: number, window: number, size: number) => {
    const start = centre - window / 2 / scale;
    const room = window / scale;
    return room >= size + 2 * margin / scale ? (size - room) / 2 : clamp(start, -margin / scale, size + margin / scale - room);
  };
  return { x: within(aim.x, width, layout.width), y: within(aim.y, height, layout.height), scale };
}

/** The map nearer or farther, with a point of the window staying where it is. */
export function zoomed(frame: Frame, factor: number, px: number, py: number): Frame {
  const scale = clamp(frame.scale * factor, scales.least, scales.most);
  return { scale, x: frame.x + px / frame.scale - px / scale, y: frame.y + py / frame.scale - py / scale };
}

/** The concept that an arrow key leads to: the nearest in that direction, what is straight ahead before what is aside. */
export function neighbour(places: Map<string, Place>, from: string, dx: number, dy: number): string {
  const here = places.get(from);
  if (!here) return from;
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (const [id, at] of places) {
    const ahead = (at.x - here.x) * dx + (at.y - here.y) * dy;
    const aside = Math.abs((at.x - here.x) * dy) + Math.abs((at.y - here.y) * dx);
    if (id === from || ahead <= 1) continue;
    const distance = ahead + 2 * aside;
    if (distance < least) [best, least] = [id, distance];
  }
  return best;
}
