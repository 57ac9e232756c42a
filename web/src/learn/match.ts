/** An answer to a question that matches two lists is kept as text, as the judge reads it: which of the choices belongs to each left side, by its number; "?" where none was chosen yet. */
export function chosen(answer: string, left: readonly string[]): number[] {
  const signs = answer.trim().split(/\s+/);
  return left.map((_, index) => (signs.length === left.length && /^\d+$/.test(signs[index]!) ? Number(signs[index]) : 0));
}

export function answerOf(numbers: readonly number[]): string {
  return numbers.some(Boolean) ? numbers.map((one) => one || '?').join(' ') : '';
}

/** The pairs that an answer names; undefined where it is not made of numbers. */
export function pairs(answer: string, left: readonly string[], choices: readonly string[]): [string, string][] | undefined {
  const numbers = chosen(answer, left);
  if (left.length === 0 || !numbers.some(Boolean)) return undefined;
  return left.map((item, index) => [item, choices[numbers[index]! - 1] ?? '…']);
}
