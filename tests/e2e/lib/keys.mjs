import assert from 'node:assert/strict';

/** Tab until something is focused that matches; the way there must not be endless. */
export async function tabTo(page, matches, what) {
  for (let steps = 0; steps < 120; steps++) {
    const name = await page.evaluate(() => {
      const at = document.activeElement;
      return `${at?.tagName} ${at?.getAttribute('aria-label') ?? ''} ${at?.closest('label')?.textContent ?? ''} ${at?.textContent ?? ''} ${at?.getAttribute('data-item') ?? ''} ${at?.getAttribute('name') ?? ''}`;
    });
    if (matches.test(name)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the keyboard does not reach ${what}`);
}
