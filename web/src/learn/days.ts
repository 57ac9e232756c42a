import type { SessionRecord } from './types';

/** Answers by day, of the learner's own days. Pure. */

/** The day of a moment, as its first moment. */
export function dayOf(at: Date): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate());
}

/** The same day so many days later; days with a change of the clock are days too. */
function later(day: Date, days: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);
}

const keyOf = (day: Date) => `${day.getFullYear()}-${day.getMonth() + 1}-${day.getDate()}`;

export interface Day {
  day: Date;
  answers: number;
}

/** The days of so many weeks up to today, weeks from Monday on, the oldest first; the last week ends today. */
export function daysOf(records: Pick<SessionRecord, 'executedAt' | 'executedCount'>[], now: Date, weeks: number): Day[] {
  const counts = new Map<string, number>();
  for (const { executedAt, executedCount } of records) {
    const key = keyOf(new Date(executedAt));
    counts.set(key, (counts.get(key) ?? 0) + executedCount);
  }
  const today = dayOf(now);
  const passed = (today.getDay() + 6) % 7;
  const length = (weeks - 1) * 7 + passed + 1;
  return Array.from({ length }, (_, index) => {
    const day = later(today, index - length + 1);
    return { day, answers: counts.get(keyOf(day)) ?? 0 };
  });
}

/** How many days in a row were learned on, up to today; a day that is not over yet breaks nothing. */
export function streakOf(days: Day[]): number {
  let count = 0;
  for (let index = days.length - 1; index >= 0; index--) {
    if (days[index]!.answers > 0) count++;
    else if (index < days.length - 1) break;
  }
  return count;
}

/** 0 for no answer, 1 to 4 by quarters of the goal. */
export function levelOf(answers: number, goal: number): number {
  return answers === 0 ? 0 : Math.min(4, Math.max(1, Math.ceil((4 * answers) / goal)));
}

export const usualGoal = 20;

/** The goal of a day as it is kept. */
export function readGoal(text: string | null): number {
  const goal = Number(text);
  return Number.isInteger(goal) && goal >= 1 && goal <= 999 ? goal : usualGoal;
}
