/** The address of a bot as it is remembered: scheme, host, port and folder, nothing else; undefined when it is none. */
export function addressOf(typed: string): string | undefined {
  const text = typed.trim();
  if (!text) return undefined;
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  } catch {
    return undefined;
  }
  // Some browsers write a blank in a host as %20.
  if (!/^https?:$/.test(url.protocol) || url.hostname.includes('%') || url.username || url.password || url.search || url.hash) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** A page that came over TLS may call plain addresses on this very machine alone: every browser blocks others. */
export function blockedByBrowser(address: string, page: string): boolean {
  const url = new URL(address);
  const here = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname) || url.hostname.endsWith('.localhost');
  return page === 'https:' && url.protocol === 'http:' && !here;
}

/** The name of a bot until its owner gives it another. */
export const hostOf = (address: string): string => new URL(address).host;
