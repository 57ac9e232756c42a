export interface Addresses<V extends string> {
  parse: (from: URLSearchParams) => V;
  params: (view: V, beside?: string) => URLSearchParams;
  href: (view: V, beside?: string) => string;
}

/**
 * The addresses of the views of one surface: the first view stands at `path` itself, the others at `?view=`. What is looked at
 * in a view may go along under the name `beside`.
 */
export function addressesOf<V extends string>(path: string, views: readonly [V, ...V[]], beside = ''): Addresses<V> {
  const params = (view: V, what = '') => {
    const address = new URLSearchParams(view === views[0] ? {} : { view });
    if (beside && what) address.set(beside, what);
    return address;
  };
  return {
    parse: (from) => views.find((view) => view === from.get('view')) ?? views[0],
    params,
    href: (view, what) => {
      const query = params(view, what).toString();
      return `${path}${query ? `?${query}` : ''}`;
    },
  };
}
