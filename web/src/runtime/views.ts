export const views = ['now', 'quality', 'requests'] as const;
export type View = (typeof views)[number];

export function parseView(params: URLSearchParams): View {
  return views.find((view) => view === params.get('view')) ?? 'now';
}

/** The address of a view; a request id goes along to where it is looked up. */
export function viewParams(view: View, requestId = ''): URLSearchParams {
  const params = new URLSearchParams(view === 'now' ? {} : { view });
  if (requestId) params.set('request', requestId);
  return params;
}

export function viewHref(view: View, requestId = ''): string {
  const query = viewParams(view, requestId).toString();
  return `/runtime${query ? `?${query}` : ''}`;
}
