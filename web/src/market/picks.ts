import { api, unwrap } from '../lib/api';
import { itemId, type Item } from '../lib/types';
import { fetchPage } from './catalog';
import { parseState } from './state';

export interface PackPicks {
  featured: Item[];
  trending: Item[];
}

/** What the catalog of packs puts forward: the featured one, and the most used of late. */
export async function packPicks(locale: string): Promise<PackPicks> {
  const { featured, trending } = await unwrap(api.GET('/api/profile-pack/catalog/insights', { params: { query: { locale } } }));
  const items = (packs: typeof trending) => packs.map((pack): Item => ({ kind: 'profile_pack', ...pack }));
  return { featured: items(featured ? [featured] : []), trending: items(trending) };
}

/** The featured pack first, then the trending ones, each once. */
export function both({ featured, trending }: PackPicks): Item[] {
  return [...new Map([...featured, ...trending].map((item) => [itemId(item), item])).values()];
}

/** Featured templates, so many at most, and after them featured packs: a newcomer looks at templates first. */
export async function featured(locale: string, templates: number): Promise<Item[]> {
  const plain = parseState(new URLSearchParams()).list;
  const [page, packs] = await Promise.all([fetchPage({ ...plain, featured: true }, { locale, limit: templates, facets: false }), packPicks(locale)]);
  return [...page.items, ...both(packs).filter((item) => item.featured)];
}
