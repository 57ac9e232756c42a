import { strategies, type Strategy } from './types';

/** What somebody wants of a session; kept for the next one. Pure but for the saving. */
export interface Wish {
  by: 'minutes' | 'actions';
  minutes: number;
  actions: number;
  strategy: Strategy | '';
  mode: 'standard' | 'deadline' | 'backlog';
  /** As the field of the form has it: local time without a zone. */
  deadline: string;
}

export const usual: Wish = { by: 'minutes', minutes: 20, actions: 8, strategy: '', mode: 'standard', deadline: '' };

const within = (value: unknown, most: number, otherwise: number) => (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most ? Number(value) : otherwise);

export function readWish(text: string | null): Wish {
  let kept: Partial<Record<keyof Wish, unknown>> = {};
  try {
    kept = (JSON.parse(text ?? '{}') as typeof kept) ?? {};
  } catch {
    // What cannot be read was never said.
  }
  return {
    by: kept.by === 'actions' ? 'actions' : 'minutes',
    minutes: within(kept.minutes, 600, usual.minutes),
    actions: within(kept.actions, 40, usual.actions),
    strategy: strategies.find((name) => name === kept.strategy) ?? '',
    mode: kept.mode === 'deadline' || kept.mode === 'backlog' ? kept.mode : 'standard',
    deadline: typeof kept.deadline === 'string' ? kept.deadline : '',
  };
}

export function saveWish(wish: Wish): void {
  localStorage.setItem('stoa.learn.wish', JSON.stringify(wish));
}

export function requestFor(wish: Wish, focus: string) {
  return {
    ...(wish.by === 'minutes' ? { minutes: wish.minutes } : { maxActions: wish.actions }),
    ...(wish.strategy ? { pathStrategy: wish.strategy } : {}),
    mode: wish.mode,
    ...(wish.mode === 'deadline' ? { deadlineAt: new Date(wish.deadline).toISOString() } : {}),
    ...(focus ? { focusAtomIds: [focus] } : {}),
  };
}
