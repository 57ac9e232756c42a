import { mount, type Component } from 'svelte';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';

/**
 * Draws the surface in the place of the heading that came with the page: once, with who is here, where that answer (`ready`)
 * comes soon. Until then the browser shows the heading.
 */
export async function draw(app: Component, ready: Promise<unknown>): Promise<void> {
  await Promise.race([ready, new Promise((turn) => setTimeout(turn, 150))]);
  const target = document.getElementById('app')!;
  target.replaceChildren();
  mount(app, { target });
}
