import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { launch, open } from './lib/browser.mjs';
import { consoleViews, openConsole, prepareConsole } from './lib/consoleviews.mjs';
import { startServer } from './lib/server.mjs';
import { prepare, signIn, views } from './lib/views.mjs';

// Every view × two widths × two themes × three locales, for people to look at: whole pages, and sheets of eight of them.
// ONLY (parts of names), WIDTHS, THEMES and LOCALES, each comma separated, narrow the set.
const out = new URL(process.env.OUT ?? '../../screenshots/', import.meta.url);
const some = (name, all) => (process.env[name] ? process.env[name].split(',') : all);
const tallest = 4000; // of what is taken of a long page

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const [server, browser] = await Promise.all([startServer(), launch({ windowed: true })]);
const failed = [];
let count = 0;

async function shoot(name, view, page, path) {
  try {
    await view.show(page);
    const height = view.full ? Math.min(tallest, await page.evaluate(() => document.documentElement.scrollHeight)) : 0;
    const { width } = page.viewportSize();
    await page.screenshot({ path, ...(view.full ? { fullPage: true, clip: { x: 0, y: 0, width, height } } : {}) });
    count++;
  } catch (error) {
    failed.push(`${name}: ${error.message.split('\n')[0]}`);
  }
  await page.context().close();
}

/** Pictures side by side in one. */
async function sheet(names, path, columns) {
  const page = await browser.newPage({ viewport: { width: 1840, height: 100 } });
  const figure = (name) => `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${readFileSync(new URL(`${name}.png`, out)).toString('base64')}"></figure>`;
  const style = `body{margin:0;display:grid;grid-template-columns:repeat(${columns},1fr);grid-auto-rows:max-content;align-items:start;gap:8px;background:#888;font:11px sans-serif}figure{margin:0;overflow:hidden;max-height:1100px}img{width:100%}`;
  await page.setContent(`<style>${style}</style>${names.map(figure).join('')}`);
  await page.waitForFunction(() => [...document.images].every((one) => one.complete));
  await page.screenshot({ path, fullPage: true });
  await page.close();
}

try {
  await prepare(browser, server);
  prepareConsole(server);
  const wanted = (name, view, width) => some('ONLY', ['']).some((part) => name.includes(part)) && (!view.width || view.width === width);
  for (const locale of some('LOCALES', ['en-US', 'zh-CN', 'ja-JP'])) {
    for (const theme of some('THEMES', ['light', 'dark'])) {
      for (const width of some('WIDTHS', ['wide', 'narrow'])) {
        const options = { width, theme, locale };
        const taken = [];
        const file = (name) => `${name}-${width}-${theme}-${locale}`;
        const place = (name) => new URL(`${file(name)}.png`, out).pathname;
        for (const [name, view] of Object.entries(views)) {
          if (!wanted(name, view, width)) continue;
          const page = await open(browser, server.base, options);
          page.setDefaultTimeout(20_000);
          if (view.signedIn) await signIn(page, server);
          await shoot(file(name), view, page, place(name));
          taken.push(file(name));
        }
        for (const [name, view] of Object.entries(consoleViews)) {
          if (!wanted(name, view, width)) continue;
          await shoot(file(name), view, await openConsole(browser, server, view, options), place(name));
          taken.push(file(name));
        }
        const there = taken.filter((name) => !failed.some((one) => one.startsWith(`${name}: `)));
        const each = 8;
        for (let n = 0; n < there.length; n += each) await sheet(there.slice(n, n + each), new URL(`sheet-${width}-${theme}-${locale}-${n / each + 1}.png`, out).pathname, width === 'wide' ? 4 : 8);
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
console.log(`${count} screenshots in ${out.pathname}`);
for (const one of failed) console.error(one);
if (failed.length > 0) process.exit(1);
