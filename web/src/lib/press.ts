/**
 * A click counts only where the button both went down and came up. So what would move things under the
 * pointer waits until it is up again.
 */

/** A button that came up where the page does not hear of it, as in a menu of the browser's, in milliseconds. */
const longest = 1000;

let pressed = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: (() => void)[] = [];

function endAfter(pause: number) {
  clearTimeout(timer);
  timer = setTimeout(end, pause);
}

function end() {
  clearTimeout(timer);
  pressed = false;
  for (const run of waiting.splice(0)) run();
}

export function watchPresses(): void {
  const listen = (type: 'mousedown' | 'mouseup' | 'click', hear: (event: MouseEvent) => void) => addEventListener(type, hear, { capture: true });
  listen('mousedown', (event) => {
    if (event.button !== 0) return;
    pressed = true;
    endAfter(longest);
  });
  // The click, if there is one, comes in the same breath, and what waited runs before it is handled.
  listen('mouseup', () => endAfter(0));
  listen('click', end);
}

/** Runs it now, or, while a button is pressed, as soon as it is not. */
export function afterPress(run: () => void): void {
  if (pressed) waiting.push(run);
  else run();
}
