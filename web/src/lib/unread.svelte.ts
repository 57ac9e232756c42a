import { api, unwrap } from './api';
import { session } from './session.svelte';
import type { Notification } from './types';

const most = 50;
const key = (user: string) => `stoa.notices.seen.${user}`;

/** How many notifications came since this browser last showed them. */
class Unread {
  count = $state(0);

  async refresh(): Promise<void> {
    if (!session.can('notifications.read') || !session.signedIn) {
      this.count = 0;
      return;
    }
    try {
      const list = await unwrap(api.GET('/api/notifications', { params: { query: { limit: most } } }));
      this.count = newer(list.events, localStorage.getItem(key(session.userId)) ?? '');
    } catch {
      // A badge is an extra: without an answer there is none.
    }
  }

  /** The newest of them have been shown. */
  seen(events: Notification[]): void {
    const newest = events.reduce((at, event) => (event.at > at ? event.at : at), '');
    if (newest) localStorage.setItem(key(session.userId), newest);
    this.count = 0;
  }
}

export function newer(events: Pick<Notification, 'at'>[], since: string): number {
  return events.filter((event) => event.at > since).length;
}

export const unread = new Unread();

/** The badge's text: more than nine are many. */
export const badge = (count: number) => (count > 9 ? '9+' : String(count));
