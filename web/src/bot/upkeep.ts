import { api, unwrap } from '../lib/api';
import { asApiError } from '../lib/errors';
import type { Version, WithdrawnVersion } from '../lib/types';
import type { Installed, Package, State } from './engine';

/** Keeps updates away from an item in one bot, as `stoa hold` does. */
export interface Hold {
  item: string;
  /** No update until it is taken off. */
  pin: boolean;
  /** A version is offered this many days after it was published. */
  wait: number;
}

export const holdOf = (state: State, item: string): Hold => state.holds?.find((hold) => hold.item === item) ?? { item, pin: false, wait: 0 };

/** The state with a hold; one that holds nothing is taken off. */
export function withHold<S extends State>(state: S, hold: Hold): S {
  const others = (state.holds ?? []).filter(({ item }) => item !== hold.item);
  return { ...state, holds: hold.pin || hold.wait > 0 ? [...others, hold] : others };
}

/** The versions of an item that the catalog has, the latest first, and why others were taken out; null when it no longer has the item. */
export type Catalogued = { latest: string; versions: Pick<Version, 'version' | 'published_at' | 'risk_level'>[]; withdrawn?: Pick<WithdrawnVersion, 'version' | 'note'>[] } | null;

export interface Upkeep {
  status: 'current' | 'outdated' | 'pinned' | 'waiting' | 'withdrawn' | 'taken_down';
  latest: string;
  /** Why a version was taken out, where that is known. */
  reason?: string;
  /** When a version that waits is offered. */
  until?: Date;
}

/** How something in a bot compares with the catalog: what `stoa outdated` says of it. */
export function upkeepOf(item: Pick<Installed, 'version'>, hold: Hold, found: Catalogued, now: number): Upkeep {
  if (!found) return { status: 'withdrawn', latest: '' };
  const { latest, versions, withdrawn } = found;
  if (!versions.some(({ version }) => version === item.version)) return { status: 'taken_down', latest, reason: withdrawn?.find(({ version }) => version === item.version)?.note };
  if (latest === item.version) return { status: 'current', latest };
  if (hold.pin) return { status: 'pinned', latest };
  const published = new Date(versions.find(({ version }) => version === latest)!.published_at);
  const until = new Date(published);
  until.setUTCDate(until.getUTCDate() + hold.wait);
  return until.getTime() > now ? { status: 'waiting', latest, until } : { status: 'outdated', latest };
}

/** What an update of all takes. */
export const updatable = ({ status }: Upkeep): boolean => status === 'outdated' || status === 'taken_down';

export async function lookUp({ id, kind }: Pick<Installed, 'id' | 'kind'>): Promise<Catalogued> {
  try {
    const { version: latest, versions, withdrawn_versions: withdrawn } =
      kind === 'template'
        ? await unwrap(api.GET('/api/templates/detail', { params: { query: { template_id: id } } }))
        : await unwrap(api.GET('/api/profile-pack/catalog/detail', { params: { query: { pack_id: id } } }));
    return { latest, versions, withdrawn };
  } catch (error) {
    if (asApiError(error).status === 404) return null;
    throw asApiError(error);
  }
}

/**
 * The version of an item that was in the bot before the one that is in it now, with what it brought, as the journal has them.
 * Who went back already is led further back, never forward again.
 */
export function versionBefore(state: State, id: string): Package | undefined {
  const past: Package[] = [];
  for (const known of [...state.log.map(({ before }) => before), state]) {
    const item = known.items.find((one) => one.id === id);
    if (!item) past.length = 0; // it was taken out meanwhile
    else {
      const at = past.findIndex(({ version, sha256 }) => version === item.version && sha256 === item.sha256);
      const objects = known.objects.flatMap(({ kind, id: name, item: by, value }) => (by === id && value !== null ? [{ kind, id: name, value }] : []));
      past.splice(at >= 0 ? at : past.length, Infinity, { ...item, objects, left: [] });
    }
  }
  return past.at(-2);
}
