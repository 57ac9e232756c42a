import { mkdirSync } from 'node:fs';
import { launch, open } from './lib/browser.mjs';
import { startServer } from './lib/server.mjs';
import { prepare, signIn, views } from './lib/views.mjs';

// Every view × two widths × two themes × three locales, for people to look at.
// ONLY (parts of names), WIDTHS, THEMES and LOCALES, each comma separated, narrow the set.
const out = new URL(process.env.OUT ?? '../../screenshots/', import.meta.url);
const some = (name, all) => (process.env[name] ? process.env[name].split(',') : all);

mkdirSync(out, { recursive: true });
const server = await startServer();
const browser = await launch();
let count = 0;
try {
  await prepare(browser, server);
  for (const locale of some('LOCALES', ['en-US', 'zh-CN', 'ja-JP'])) {
    for (const theme of some('THEMES', ['light', 'dark'])) {
      for (const width of some('WIDTHS', ['wide', 'narrow'])) {
        for (const [name, view] of Object.entries(views)) {
          if (!some('ONLY', ['']).some((part) => name.includes(part)) || (view.width && view.width !== width)) continue;
          const page = await open(browser, server.base, { width, theme, locale });
          if (view.signedIn) await signIn(page, server);
          await view.show(page);
          await page.screenshot({ path: new URL(`${name}-${width}-${theme}-${locale}.png`, out).pathname, fullPage: view.full ?? false });
          await page.context().close();
          count++;
        }
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
console.log(`${count} screenshots in ${out.pathname}`);
