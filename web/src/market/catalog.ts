import { api, unwrap } from '../lib/api';
import type { Facets, Item, ItemDetail, ItemPage, Kind } from '../lib/types';
import { filterNames, type ListState, type Sort } from './state';

export const pageSize = 24;

export interface Page {
  items: Item[];
  total: number;
  totalIsLowerBound: boolean;
  corrected: string;
  facets?: Facets;
  nextCursor: string;
}

interface Asking {
  locale: string;
  cursor?: string;
  limit?: number;
  facets?: boolean;
  signal?: AbortSignal;
}

/** One page of either list. Facets come with the first page only: they do not change while paging. */
export async function fetchPage(list: ListState, { locale, cursor, limit = pageSize, facets = true, signal }: Asking): Promise<Page> {
  const common = {
    ...Object.fromEntries(filterNames.filter((name) => list.filters[name]).map((name) => [name, list.filters[name]])),
    query: list.query || undefined,
    featured: list.featured ? 'true' : undefined,
    facets: (facets && !cursor) || undefined,
    locale,
    limit,
    cursor,
  };
  if (list.kind === 'template') {
    const data = await unwrap(api.GET('/api/templates', { params: { query: { ...common, sort_by: sortBy(list, 'template_id') } }, signal }));
    return page(data, data.templates.map((row): Item => ({ kind: 'template', ...row })));
  }
  const data = await unwrap(api.GET('/api/profile-pack/catalog', { params: { query: { ...common, sort_by: sortBy(list, 'pack_id') } }, signal }));
  return page(data, data.packs.map((row): Item => ({ kind: 'profile_pack', ...row })));
}

/** What a list is sorted by where nothing is chosen: what people want first, or with a text what fits it best. */
function sortBy<Name extends 'template_id' | 'pack_id'>(list: ListState, name: Name): Exclude<Sort, '' | 'name'> | Name | 'ranking' | undefined {
  if (list.sort === 'name') return name;
  return list.sort || (list.query ? undefined : 'ranking');
}

function page(facts: { total: number; total_is_lower_bound: boolean; corrected_query?: string; facets?: Facets; next_cursor: string }, items: Item[]): Page {
  return { items, total: facts.total, totalIsLowerBound: facts.total_is_lower_bound, corrected: facts.corrected_query ?? '', facets: facts.facets, nextCursor: facts.next_cursor };
}

export const fetchItemPage = (id: string, locale: string): Promise<ItemPage> => unwrap(api.GET('/api/market/item', { params: { query: { item_id: id, locale } } }));

export async function fetchDetail(kind: Kind, id: string, locale: string): Promise<ItemDetail> {
  if (kind === 'template') {
    const query = { template_id: id, locale };
    return { kind, ...(await unwrap(api.GET('/api/templates/detail', { params: { query } }))) };
  }
  const query = { pack_id: id, locale };
  return { kind, ...(await unwrap(api.GET('/api/profile-pack/catalog/detail', { params: { query } }))) };
}
