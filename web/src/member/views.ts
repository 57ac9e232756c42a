export const views = ['installations', 'upload', 'submissions', 'tasks', 'notifications', 'preferences', 'session'] as const;
export type View = (typeof views)[number];

export function parseView(params: URLSearchParams): View {
  return views.find((view) => view === params.get('view')) ?? 'installations';
}

export function viewParams(view: View): URLSearchParams {
  return new URLSearchParams(view === 'installations' ? {} : { view });
}

export function viewHref(view: View): string {
  const query = viewParams(view).toString();
  return `/member${query ? `?${query}` : ''}`;
}
