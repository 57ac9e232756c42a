/** Nobody at the page for so long, and it asks no more: asking would also keep a session alive that nobody uses. */
const patience = 5 * 60_000;

/** Runs it in a rhythm while the page is in front and in use, and at once when it comes to the front. Answers how to end it. */
export function whileLooking(beat: number, run: () => void): () => void {
  let used = Date.now();
  const use = () => (used = Date.now());
  const look = () => document.visibilityState === 'visible' && Date.now() - used < patience && run();
  const front = () => {
    use();
    look();
  };
  const timer = setInterval(look, beat);
  const signs = ['pointerdown', 'keydown', 'wheel'] as const;
  for (const sign of signs) addEventListener(sign, use, { passive: true });
  document.addEventListener('visibilitychange', front);
  return () => {
    clearInterval(timer);
    for (const sign of signs) removeEventListener(sign, use);
    document.removeEventListener('visibilitychange', front);
  };
}
