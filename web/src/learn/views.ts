export const views = ['today', 'map', 'notes', 'progress', 'strategy'] as const;
export type View = (typeof views)[number];

export function parseView(params: URLSearchParams): View {
  return views.find((view) => view === params.get('view')) ?? 'today';
}

/** The address of a view; a concept goes along to where it is shown or studied. */
export function viewParams(view: View, concept = ''): URLSearchParams {
  const params = new URLSearchParams(view === 'today' ? {} : { view });
  if (concept) params.set('concept', concept);
  return params;
}

export function viewHref(view: View, concept = ''): string {
  const query = viewParams(view, concept).toString();
  return `/learn${query ? `?${query}` : ''}`;
}
