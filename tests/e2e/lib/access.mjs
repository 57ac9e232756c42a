import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, views } from './views.mjs';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Every view of both surfaces in one theme, at both widths. A file of tests each, so that they share the time. */
export function everyView(stage, theme) {
  for (const width of ['wide', 'narrow']) {
    test(`every view has no accessibility violations: ${width}, ${theme}`, async () => {
      const visitor = await stage.open('about:blank', { width, theme });
      const member = await stage.open('about:blank', { width, theme });
      await signIn(member, stage.server);
      const found = [];
      for (const [name, view] of Object.entries(views)) {
        if (view.width && view.width !== width) continue;
        const page = view.signedIn ? member : visitor;
        await view.show(page);
        // From the top: what happens to lie half below the fixed header would count as too small to press.
        await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
        const axe = new AxeBuilder({ page }).setLegacyMode(true);
        // Between the themes nothing but colours changes.
        const result = await (theme === 'light' ? axe.withTags(rules) : axe.withRules(['color-contrast'])).analyze();
        for (const { id, nodes } of result.violations) found.push(`${name}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (overflow > 0) found.push(`${name}: ${overflow} px wider than the window`);
      }
      assert.deepEqual(found, []);
    });
  }
}
