import Box from '@lucide/svelte/icons/box';
import FileText from '@lucide/svelte/icons/file-text';
import { i18n, t } from '../lib/i18n.svelte';
import { go } from '../lib/router.svelte';
import { itemId, type Kind } from '../lib/types';
import type { Suggestion } from '../ui/suggestions.svelte';
import { fetchPage } from './catalog';
import { parseState, toParams, type ListState } from './state';

const most: Record<Kind, number> = { template: 6, profile_pack: 2 };

/** The items of both kinds that the words find best, whatever filters the list below has. */
export async function suggest(list: ListState, query: string, signal: AbortSignal): Promise<Suggestion[]> {
  const plain = parseState(new URLSearchParams()).list;
  const find = (kind: Kind) => fetchPage({ ...plain, kind, query }, { locale: i18n.locale, limit: most[kind], facets: false, signal });
  const pages = await Promise.all([find('template'), find('profile_pack')]);
  return pages
    .flatMap((page) => page.items)
    .map((item) => {
      const id = itemId(item);
      return {
        key: `${item.kind}/${id}`,
        title: item.title || id,
        note: t(item.kind === 'template' ? 'kind.template' : 'kind.pack'),
        icon: item.kind === 'template' ? FileText : Box,
        lang: item.locale,
        // Going back leads to the list that the words find.
        choose: () => go(toParams({ list: { ...list, query }, open: { kind: item.kind, id } })),
      };
    });
}
