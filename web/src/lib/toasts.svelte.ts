import { asApiError } from './errors';
import { errorText } from './words';

export interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'error';
  action?: { label: string; run: () => void };
  link?: { label: string; href: string };
}

const visibleFor = 10_000;

let items = $state<Toast[]>([]);
let nextId = 1;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export const toasts = {
  get items(): Toast[] {
    return items;
  },
};

export function toast(text: string, more: Partial<Omit<Toast, 'id' | 'text'>> = {}): void {
  const id = nextId++;
  items.push({ id, text, tone: 'plain', ...more });
  resume(id);
}

/** Says in words what failed. */
export function toastError(error: unknown): void {
  toast(errorText(asApiError(error)), { tone: 'error' });
}

export function dismiss(id: number): void {
  pause(id);
  items = items.filter((item) => item.id !== id);
}

/** Held while pointed at or focused, so that nobody races a timer to the button. */
export function pause(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export function resume(id: number): void {
  pause(id);
  timers.set(id, setTimeout(() => dismiss(id), visibleFor));
}
