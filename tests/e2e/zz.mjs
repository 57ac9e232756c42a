import { launch, open } from './lib/browser.mjs';
import { startServer } from './lib/server.mjs';
import { settled, signIn } from './lib/views.mjs';
const server = await startServer({ small: true });
const browser = await launch();
try {
  for (const [n, opt] of [['a', {}], ['b', { width: 'narrow', theme: 'dark' }]]) {
    const page = await open(browser, server.base, opt);
    page.setDefaultTimeout(20000);
    await signIn(page, server);
    await page.goto(server.base + '/learn?view=notes'); await settled(page);
    if (n === 'a') {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await (await chooser).setFiles('/tmp/mv');
      await page.getByRole('link', { name: 'Group', exact: true }).waitFor();
      await page.waitForTimeout(1500);
    }
    for (const name of ['Group', 'Poset', 'Diagram', 'Group Actions']) {
      await page.goto(server.base + '/learn?view=notes'); await settled(page);
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.waitForTimeout(1200);
      for (const b of await page.locator('details:not([open]) > summary').all()) await b.click().catch(() => {});
      await page.waitForTimeout(500);
      await page.screenshot({ path: `/tmp/shot-${n}-${name.replace(' ', '_')}.png`, fullPage: true });
    }
  }
} finally { await browser.close(); await server.stop(); }
