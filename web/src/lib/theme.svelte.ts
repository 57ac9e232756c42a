export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'stoa.theme';

let chosen = $state<Theme>('system');

export const theme = {
  get current(): Theme {
    return chosen;
  },
};

export function startTheme(): void {
  const stored = localStorage.getItem(storageKey);
  apply(themes.find((name) => name === stored) ?? 'system');
}

export function setTheme(next: Theme): void {
  localStorage.setItem(storageKey, next);
  apply(next);
}

function apply(next: Theme): void {
  chosen = next;
  // Without the attribute the style sheet follows prefers-color-scheme.
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}
