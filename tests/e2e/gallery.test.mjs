import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { eventually, suite } from './lib/suite.mjs';

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

test('a list to choose from is worked by keys, by letters and by the mouse', async () => {
  const page = await gallery();
  const part = page.locator('.part', { has: page.locator('#part-Select') });
  const box = part.getByRole('combobox', { name: 'Sort by' });
  const list = page.getByRole('listbox');
  await box.focus();
  await page.keyboard.press('ArrowDown');
  await list.waitFor();
  assert.equal(await box.getAttribute('aria-expanded'), 'true');
  await axe(page, 'open list');
  // Past what cannot be chosen, and no further than the end.
  for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await list.waitFor({ state: 'detached' });
  assert.equal(await box.getAttribute('data-value'), 'last');
  assert.equal(await box.evaluate((one) => one === document.activeElement), true, 'the control keeps the focus');

  await page.keyboard.press('c');
  await page.keyboard.press('Tab');
  assert.equal(await box.getAttribute('data-value'), 'write', 'a letter finds it and Tab takes it');
  await box.press('Home');
  await page.keyboard.press('Escape');
  assert.equal(await box.getAttribute('data-value'), 'write', 'Escape changes nothing');

  await box.click();
  const edge = await list.evaluate((one) => [one.getBoundingClientRect().left, innerWidth - one.getBoundingClientRect().right]);
  assert.ok(edge.every((px) => px >= 0), String(edge));
  await list.getByRole('option', { name: 'Disabled' }).click({ force: true });
  assert.equal(await list.count(), 1, 'what is disabled cannot be chosen');
  await list.getByRole('option', { name: 'Accounting' }).click();
  assert.equal(await box.getAttribute('data-value'), 'read');
  await box.click();
  await page.locator('h1').click();
  assert.equal(await list.count(), 0, 'a press elsewhere closes it');
});

for (const [locale, missing] of [['en-US', 'This field is required.'], ['zh-CN', '此项为必填项。'], ['ja-JP', '入力してください。']]) {
  test(`a form says in ${locale} what is wrong, where it is, and leads there`, async () => {
    const page = await gallery({ locale, width: 'narrow', theme: 'dark' });
    const form = page.locator('.part', { has: page.locator('#part-Form') }).locator('form');
    const user = form.locator('input').first();
    await form.getByRole('button').last().click();
    const summary = form.getByRole('group').first();
    await summary.getByRole('listitem').nth(3).waitFor();
    assert.equal(await summary.getByRole('listitem').count(), 4, 'name, password, list and choice');
    assert.ok(await summary.evaluate((one) => one === document.activeElement), 'the focus is on the summary');
    assert.equal(await user.getAttribute('aria-invalid'), 'true');
    const said = async (field) => (await Promise.all(((await field.getAttribute('aria-describedby')) ?? '').split(' ').filter(Boolean).map((id) => page.locator(`[id="${id}"]`).innerText()))).join(' ');
    assert.match(await said(user), new RegExp(missing));
    await axe(page, 'problems');
    await summary.getByRole('button').first().click();
    assert.ok(await user.evaluate((one) => one === document.activeElement), 'its link leads to the field');
    await user.fill('ada');
    assert.equal(await user.getAttribute('aria-invalid'), null, 'what is right is right at once');
    assert.equal(await summary.getByRole('listitem').count(), 3);

    const password = form.locator('input').nth(1);
    await password.fill('short');
    await form.locator('input[type=number]').fill('99');
    await form.getByRole('combobox').click();
    await page.getByRole('listbox').getByRole('option').first().click();
    await form.getByRole('radio').first().check();
    await form.locator('input[type=number]').fill('5');
    await form.getByRole('button').last().click();
    await eventually(() => password.evaluate((one) => one === document.activeElement), 'one problem has the focus itself');
    assert.match(await said(password), /12/);
    await password.fill('long enough by far');
    await form.getByRole('button').last().click();
    await page.locator('.toast, [role=status]').filter({ hasText: /\S/ }).first().waitFor();
    assert.equal(await form.locator('[aria-invalid]').count(), 0);
  });
}

test('what the server refuses stands below its field', async () => {
  const page = await gallery();
  const form = page.locator('.part', { has: page.locator('#part-Field') }).locator('form');
  const version = form.getByRole('textbox', { name: 'Version' });
  await form.getByRole('button').click();
  await eventually(async () => (await version.getAttribute('aria-invalid')) === 'true', 'the refused field');
  assert.match(await form.innerText(), /must be one of 1\.0\.0, 1\.1\.0/);
  await axe(page, 'refused');
});
