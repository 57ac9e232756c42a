// throwaway: contact sheets
import { readdirSync } from 'node:fs';
import { launch } from './lib/browser.mjs';
const [dir, out, ...rest] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
for (const spec of rest) {
  const [name, col, files] = spec.split('=');
  const list = files.split(',');
  await page.goto(`file://${dir}/`);
  await page.setContent(`<body style="margin:4px;background:#777;display:flex;flex-wrap:wrap;gap:6px;align-items:flex-start">${list.map((f) => `<figure style="margin:0"><figcaption style="font:11px sans-serif;color:#fff">${f}</figcaption><img src="file://${dir}/${f}.png" width="${col}" style="max-height:1500px;object-fit:cover;object-position:top"></figure>`).join('')}</body>`);
  await page.waitForFunction(() => [...document.images].every((i) => i.complete));
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: true });
}
await browser.close();
