import type { Kind } from '../lib/types';

/** The filters of a list, named as the API names them. "" is no filter. */
export const filterNames = ['category', 'tag', 'source_channel', 'risk_level', 'review_label', 'warning_flag', 'maintainer', 'author', 'pack_type'] as const;
export type FilterName = (typeof filterNames)[number];

export const sorts = ['', 'name', 'installs', 'trial_requests', 'recent_activity', 'newest'] as const;
export type Sort = (typeof sorts)[number];

export interface ListState {
  kind: Kind;
  query: string;
  filters: Record<FilterName, string>;
  featured: boolean;
  sort: Sort;
}

export interface MarketState {
  list: ListState;
  /** The item that is open, if one is; the list stays behind it. */
  open?: { kind: Kind; id: string };
}

export function parseState(params: URLSearchParams): MarketState {
  const filters = Object.fromEntries(filterNames.map((name) => [name, params.get(name) ?? ''])) as Record<FilterName, string>;
  const item = params.get('item');
  const pack = params.get('pack');
  return {
    list: {
      // Behind a shared link to a pack stands the list of packs.
      kind: params.get('show') === 'packs' || (pack && !item) ? 'profile_pack' : 'template',
      query: params.get('query') ?? '',
      filters,
      featured: params.get('featured') === 'true',
      sort: sorts.find((sort) => sort === params.get('sort')) ?? '',
    },
    open: item ? { kind: 'template', id: item } : pack ? { kind: 'profile_pack', id: pack } : undefined,
  };
}

/** The address of a state, with nothing in it that is the default. */
export function toParams({ list, open }: MarketState): URLSearchParams {
  const params = new URLSearchParams();
  if (list.kind === 'profile_pack') params.set('show', 'packs');
  if (list.query) params.set('query', list.query);
  for (const name of filterNames) if (list.filters[name]) params.set(name, list.filters[name]);
  if (list.featured) params.set('featured', 'true');
  if (list.sort) params.set('sort', list.sort);
  if (open) params.set(open.kind === 'template' ? 'item' : 'pack', open.id);
  return params;
}

export function withFilter(list: ListState, name: FilterName, value: string): ListState {
  return { ...list, filters: { ...list.filters, [name]: value } };
}

export function withoutFilters(list: ListState): ListState {
  return { ...parseState(new URLSearchParams()).list, kind: list.kind };
}

/** A pack has no use for a template's leftovers; what both know stays. */
export function withKind(list: ListState, kind: Kind): ListState {
  return withFilter({ ...withoutFilters(list), kind, query: list.query, sort: list.sort }, 'author', list.filters.author);
}

export function isPlain(list: ListState): boolean {
  return !list.query && !list.featured && filterNames.every((name) => !list.filters[name]);
}

export function activeFilters(list: ListState): { name: FilterName; value: string }[] {
  return filterNames.filter((name) => list.filters[name]).map((name) => ({ name, value: list.filters[name] }));
}

export function hrefOf(state: MarketState): string {
  const query = toParams(state).toString();
  return `/market${query ? `?${query}` : ''}`;
}
