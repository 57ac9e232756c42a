import { expect, test } from 'vitest';
import { markOf, rowsOf, selectionOf, toggled, treeOf, type RawNode, type TreeNode } from './selection';

const raw = (path: string, children: RawNode[] = [], name?: string): RawNode => ({ path, label: path, kind: 'object', preview_lines: [], preview_truncated: false, children, name });
const roots = treeOf([
  raw('personas', [raw('personas.a', [raw('personas.a.name'), raw('personas.a.prompt')]), raw('personas.b')], 'personas'),
  raw('skills', [raw('skills.x')], 'skills'),
]);
const find = (path: string, among: TreeNode[] = roots): TreeNode => {
  for (const node of among) {
    if (node.path === path) return node;
    const below = node.children.length > 0 && path.startsWith(node.path) ? find(path, node.children) : undefined;
    if (below) return below;
  }
  throw new Error(path);
};
const without = (...paths: string[]) => paths.reduce((left, path) => toggled(find(path), left), new Set<string>());

test('everything is said with nothing', () => expect(selectionOf(roots, new Set())).toEqual({ selected_sections: [], selected_item_paths: [] }));
test('nothing is no selection', () => expect(selectionOf(roots, without('personas', 'skills'))).toBeUndefined());
test('a whole section is its name', () => expect(selectionOf(roots, without('skills'))).toEqual({ selected_sections: ['personas'], selected_item_paths: [] }));
test('a part of a section is the fewest paths', () => {
  expect(selectionOf(roots, without('personas.b'))).toEqual({ selected_sections: ['personas', 'skills'], selected_item_paths: ['personas.a'] });
  expect(selectionOf(roots, without('personas.a.name'))).toEqual({ selected_sections: ['personas', 'skills'], selected_item_paths: ['personas.a.prompt', 'personas.b'] });
});
test('a parent shows what is below it', () => {
  const left = without('personas.a.name');
  expect([markOf(find('personas'), left), markOf(find('personas.a'), left), markOf(find('skills'), left)]).toEqual(['some', 'some', 'all']);
  expect(markOf(find('personas'), toggled(find('personas'), left))).toBe('all');
});
test('leaving out a node and taking it again changes nothing', () => expect([...without('personas.a', 'personas.a')]).toEqual([]));
test('rows are those below open nodes', () => {
  expect(rowsOf(roots, new Set()).map((node) => node.path)).toEqual(['personas', 'skills']);
  expect(rowsOf(roots, new Set(['personas'])).map((node) => node.path)).toEqual(['personas', 'personas.a', 'personas.b', 'skills']);
  expect(roots[0]!.leaves).toBe(3);
});
