/** The tree of what a draft holds, and which parts of it are chosen. Pure: the view draws it. */

export interface RawNode {
  path: string;
  label: string;
  kind: string;
  preview_lines: string[];
  preview_truncated: boolean;
  children?: RawNode[];
  items?: RawNode[];
  children_not_listed?: number;
  items_not_listed?: number;
  name?: string;
}

export interface TreeNode {
  path: string;
  label: string;
  section: string;
  level: number;
  parent?: TreeNode;
  children: TreeNode[];
  notListed: number;
  preview: string[];
  previewCut: boolean;
  /** How many nodes without children are below; 1 for such a node itself. */
  leaves: number;
}

export type Mark = 'all' | 'some' | 'none';

export function treeOf(sections: readonly RawNode[]): TreeNode[] {
  return sections.map((raw) => nodeOf(raw, raw.name ?? raw.path, 1));
}

function nodeOf(raw: RawNode, section: string, level: number, parent?: TreeNode): TreeNode {
  const node: TreeNode = {
    path: raw.path,
    label: raw.label,
    section,
    level,
    parent,
    children: [],
    notListed: raw.children_not_listed ?? raw.items_not_listed ?? 0,
    preview: raw.preview_lines,
    previewCut: raw.preview_truncated,
    leaves: 1,
  };
  node.children = (raw.children ?? raw.items ?? []).map((child) => nodeOf(child, section, level + 1, node));
  if (node.children.length > 0) node.leaves = node.children.reduce((sum, child) => sum + child.leaves, 0);
  return node;
}

/** What is chosen is kept as the set of leaves that are not. */
export function markOf(node: TreeNode, left: ReadonlySet<string>): Mark {
  if (node.children.length === 0) return left.has(node.path) ? 'none' : 'all';
  const marks = new Set(node.children.map((child) => markOf(child, left)));
  return marks.size === 1 ? [...marks][0]! : 'some';
}

function leavesOf(node: TreeNode): string[] {
  return node.children.length === 0 ? [node.path] : node.children.flatMap(leavesOf);
}

/** What was wholly chosen is left out; anything less is taken whole. */
export function toggled(node: TreeNode, left: ReadonlySet<string>): Set<string> {
  const next = new Set(left);
  const leave = markOf(node, left) === 'all';
  for (const path of leavesOf(node)) {
    if (leave) next.add(path);
    else next.delete(path);
  }
  return next;
}

export interface Selection {
  selected_sections: string[];
  selected_item_paths: string[];
}

/** The fewest names and paths that say what is chosen; undefined when that is nothing. Two empty lists mean everything. */
export function selectionOf(roots: readonly TreeNode[], left: ReadonlySet<string>): Selection | undefined {
  const chosen = roots.filter((root) => markOf(root, left) !== 'none');
  if (chosen.length === 0) return undefined;
  const paths = chosen.flatMap((root) => (markOf(root, left) === 'all' ? [] : pathsOf(root, left)));
  if (paths.length === 0 && chosen.length === roots.length) return { selected_sections: [], selected_item_paths: [] };
  return { selected_sections: chosen.map((root) => root.section), selected_item_paths: paths };
}

function pathsOf(node: TreeNode, left: ReadonlySet<string>): string[] {
  switch (markOf(node, left)) {
    case 'all':
      return [node.path];
    case 'none':
      return [];
    default:
      return node.children.flatMap((child) => pathsOf(child, left));
  }
}

/** The rows to draw: the roots and whatever stands below an open node. */
export function rowsOf(roots: readonly TreeNode[], open: ReadonlySet<string>): TreeNode[] {
  return roots.flatMap((node) => [node, ...(open.has(node.path) ? rowsOf(node.children, open) : [])]);
}
