import { basename, resolve } from 'node:path';

/** What the bundler knows of a module. */
interface Module {
  importedIds: readonly string[];
  dynamicallyImportedIds: readonly string[];
}
interface Bundler {
  getModuleInfo(id: string): Module | null;
}
/** The pages that begin with a module, and those that ever need it. */
interface Use {
  first: Set<string>;
  ever: Set<string>;
}

/**
 * The files that modules go into, so that a first view brings few: over HTTP/1.1 fifty small ones wait for each other. What two
 * or more pages begin with is one file; what one page begins with alone is another, in two parts where other pages need some of
 * it later. The rest is for the bundler.
 */
export function chunksOf(pages: string[]) {
  let found: Map<string, Use> | undefined;
  const group = (debugName: string, priority: number, name: (use: Use, page: string) => string | null) => ({
    debugName,
    // A group takes along what its modules import and what no group before it has taken.
    priority,
    name: (id: string, bundler: Bundler) => {
      found ??= reach(pages, bundler);
      const use = found.get(id);
      return use && use.first.size > 0 && !id.endsWith('.html') ? name(use, basename([...use.first][0]!, '.html')) : null;
    },
  });
  return [
    group('shared', 3, ({ first }) => (first.size > 1 ? 'shared' : null)),
    group('shared with what comes later', 2, ({ ever }, page) => (ever.size > 1 ? `shared-${page}` : null)),
    // The files of the console are known by their names, and kept from the other listener.
    group('first', 1, (_, page) => (page === 'console' ? null : `first-${page}`)),
  ];
}

function reach(pages: string[], bundler: Bundler): Map<string, Use> {
  const found = new Map<string, Use>();
  for (const page of pages) {
    for (const kind of ['first', 'ever'] as const) {
      const waiting = [resolve(page)];
      while (waiting.length > 0) {
        const id = waiting.pop()!;
        const module = bundler.getModuleInfo(id);
        const use = found.get(id) ?? { first: new Set(), ever: new Set() };
        if (!module || use[kind].has(page)) continue;
        use[kind].add(page);
        found.set(id, use);
        waiting.push(...module.importedIds, ...(kind === 'ever' ? module.dynamicallyImportedIds : []));
      }
    }
  }
  return found;
}
