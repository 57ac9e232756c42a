import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, views } from './views.mjs';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Every view of the three surfaces at one width, in both themes. A file of tests for each width, so that they share the
 * time; the themes share the views, as between them nothing but colours changes.
 */
export function everyView(stage, width) {
  test(`every view has no accessibility violations: ${width}, light and dark`, async () => {
    const visitor = await stage.open('about:blank', { width });
    const member = await stage.open('about:blank', { width });
    await signIn(member, stage.server);
    const found = [];
    const judge = async (page, name, axe) => {
      await coloured(page);
      const { violations } = await axe(new AxeBuilder({ page }).setLegacyMode(true)).analyze();
      for (const { id, nodes } of violations) found.push(`${name}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
    };
    for (const [name, view] of Object.entries(views)) {
      if (view.width && view.width !== width) continue;
      const page = view.signedIn ? member : visitor;
      await view.show(page);
      // From the top: what happens to lie half below the fixed header would count as too small to press.
      await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
      await judge(page, name, (axe) => axe.withTags(rules));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (overflow > 0) found.push(`${name}: ${overflow} px wider than the window`);

      await turn(page, 'dark');
      await judge(page, `${name}, dark`, (axe) => axe.withRules(['color-contrast']));
      await turn(page, 'light');
    }
    assert.deepEqual(found, []);
  });
}

/** The system's theme changes; the browser takes a moment to draw the page in it. */
async function turn(page, colorScheme) {
  const ground = () => getComputedStyle(document.documentElement).backgroundColor;
  const before = await page.evaluate(ground);
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction((before) => getComputedStyle(document.documentElement).backgroundColor !== before, before);
}

/** Colours that change over some time (a button that can be pressed now) are not judged on their way. */
const coloured = (page) => page.waitForFunction(() => !document.getAnimations().some((one) => one instanceof CSSTransition && one.playState === 'running'));

/** One state of a page has no violations of the same rules. */
export async function check(page, name) {
  await coloured(page);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(rules).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
}
