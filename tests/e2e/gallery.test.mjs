import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { suite } from './lib/suite.mjs';

// The gallery of the parts is built for developers only; here it stands under the policy of the real pages.

const kinds = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const web = resolve(import.meta.dirname, '../../web');
let built;
let policy;

const stage = suite(async (_, server) => {
  built = mkdtempSync(join(tmpdir(), 'stoa-gallery-'));
  execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.gallery.config.ts', '--outDir', built, '--logLevel', 'error'], { cwd: web });
  policy = (await fetch(`${server.base}/market`)).headers.get('content-security-policy');
}, { small: true });
after(() => rmSync(built, { recursive: true, force: true }));

async function gallery(options) {
  const page = await stage.open('about:blank', options);
  await page.route('**/gallery/**', (route) => {
    const path = new URL(route.request().url()).pathname.slice('/gallery/'.length);
    return route.fulfill({ body: readFileSync(join(built, path)), contentType: kinds[extname(path)], headers: { 'Content-Security-Policy': policy } });
  });
  await page.goto('/gallery/gallery.html');
  await page.locator('#part-Toasts').waitFor();
  await page.locator('.part', { has: page.locator('#part-Later') }).getByRole('alert').waitFor();
  return page;
}

async function axe(page, where) {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0, `${where}: wider than the window`);
}

for (const locale of ['en-US', 'zh-CN', 'ja-JP']) {
  for (const [theme, width] of [['light', 'wide'], ['dark', 'narrow']]) {
    test(`every part of the pages, in ${locale}, ${theme}`, async () => {
      const page = await gallery({ locale, theme, width });
      assert.equal(await page.locator('html').getAttribute('lang'), locale);
      await axe(page, 'parts');
      assert.doesNotMatch(await page.locator('body').innerText(), /\b(action|activity|checks|empty|error|plot|search|signin|state)\.[a-z]\w+/i, 'no raw key');
      if (process.env.GALLERY_SHOTS) await page.screenshot({ path: join(process.env.GALLERY_SHOTS, `gallery-${width}-${theme}-${locale}.png`), fullPage: true });
    });
  }
}

test('each dialog takes the focus and gives it back', async () => {
  const page = await gallery({ theme: 'dark' });
  for (const kind of ['plain', 'wide', 'side', 'sign-in']) {
    const opener = page.locator(`[data-dialog="${kind}"]`);
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    assert.ok(await dialog.evaluate((one) => one.contains(document.activeElement)), kind);
    await axe(page, kind);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.ok(await opener.evaluate((one) => one === document.activeElement), `${kind} gives the focus back`);
  }
  await page.locator('[data-toast]').press('Enter');
  await page.locator('[data-toast-action]').waitFor();
  await axe(page, 'toast');
  for (const [value, words] of [['none', 'No findings'], ['incomplete', 'scan-2'], ['pending', '']]) {
    await page.getByRole('button', { name: value, exact: true }).click();
    assert.match(await page.locator('section', { has: page.locator('#checks') }).last().innerText(), new RegExp(words));
    await axe(page, value);
  }
});

test('nothing of the gallery is shipped', async () => {
  for (const path of ['/gallery.html', '/gallery', '/gallery/gallery.html']) assert.equal((await fetch(stage.server.base + path)).status, 404, path);
  for (const surface of ['/market', '/member']) assert.doesNotMatch(await (await fetch(stage.server.base + surface)).text(), /gallery/i);
});
