import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { suite } from './lib/suite.mjs';
import { differences, thumbnails, tolerance } from './lib/thumbnails.mjs';
import { settled, signIn } from './lib/views.mjs';

// What pages look like. By their geometry, with no tolerance but a pixel of rounding: controls do not lie on each other, no text is cut without a sign of it, no text is missing, nothing is
// wider than the window, the page is drawn in the letters that come with it, and another theme moves nothing. And by their pictures,
// compared with those that are kept (see thumbnails.mjs for the tolerance). Time stands still, nothing moves.

const stage = suite(
  async (browser, server) => {
    const context = await browser.newContext({ baseURL: server.base });
    await context.request.post('/api/login', { data: { user_id: server.userId, password: server.password } });
    const installed = await context.request.post('/api/templates/install', { data: { template_id: 'official/careful-translator' } });
    assert.equal(installed.status(), 200);
    await context.close();
  },
  { small: true, windowed: true },
);
const locales = new URL('../../web/src/locales/', import.meta.url);
const keys = readdirSync(locales).filter((name) => name.endsWith('en-US.json')).flatMap((name) => Object.keys(JSON.parse(readFileSync(new URL(name, locales), 'utf8'))));
const paths = { '/': false, '/market': false, '/market?view=insights': false, '/market?pack=profile%2Fofficial-starter': false, '/market?view=installations': true, '/market?view=submissions': true, '/market?view=upload': true, '/learn': true, '/learn?view=progress': true, '/member?view=session': true, '/member?view=preferences': true, '/runtime': true, '/runtime?view=requests': true };
const rounding = 1;
const fileName = (path) => path.replace(/^\/$/, 'home').replace(/%2F/g, '-').replace(/[^a-z-]+/g, '-').replace(/^-|-$/g, '');

/** In the page: the boxes of what is read and pressed, and what is wrong with them. */
function look({ rounding, keys }) {
  const shown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('.unseen, .skip');
  const boxOf = (one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x + scrollX, y + scrollY, width, height];
  };
  const name = (one) => `<${one.localName}> ${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)}`;
  const problems = [];
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`${document.documentElement.scrollWidth - innerWidth} px wider than the window`);
  if (document.documentElement.lang === 'en-US' && ![...document.fonts].some((font) => font.family === 'Figtree' && font.status === 'loaded')) problems.push('the letters are not Figtree');

  // A text that did not come shows as its key.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const names = new Set(keys.map((key) => key.replace(/_(one|other)$/, '')));
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    if (text.includes('.') && names.has(text)) problems.push(`${text} is a key and no text`);
    if (/[。！？] /.test(text)) problems.push(`a space after a full stop: ${text}`);
  }

  const controls = [...document.querySelectorAll('a[href], button, input, textarea, summary')].filter((one) => shown(one) && one.getBoundingClientRect().width > 1);
  const floats = (one) => one && one !== document.body && (['fixed', 'sticky'].includes(getComputedStyle(one).position) || floats(one.parentElement));
  const flat = controls.filter((one) => !floats(one)).map((one) => ({ one, box: boxOf(one) }));
  for (const [index, a] of flat.entries()) {
    for (const b of flat.slice(index + 1)) {
      if (a.one.contains(b.one) || b.one.contains(a.one) || a.one.closest('label')?.contains(b.one)) continue;
      const over = [0, 1].map((axis) => Math.min(a.box[axis] + a.box[axis + 2], b.box[axis] + b.box[axis + 2]) - Math.max(a.box[axis], b.box[axis]));
      // A whole card is a link, and its own controls lie on it on purpose.
      const covers = [a, b].some(({ one }) => getComputedStyle(one, '::after').position === 'absolute');
      if (over.every((px) => px > rounding) && !covers) problems.push(`${name(a.one)} and ${name(b.one)} lie on each other by ${over.map(Math.round)} px`);
    }
  }
  for (const one of document.querySelectorAll('main *, header *')) {
    const style = getComputedStyle(one);
    const cuts = /hidden|clip/.test(style.overflowX) && one.scrollWidth > one.clientWidth + rounding && one.clientWidth > 1;
    if (cuts && shown(one) && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none' && !one.closest('svg')) problems.push(`${name(one)} is cut by ${one.scrollWidth - one.clientWidth} px`);
  }
  const boxes = [...controls, ...[...document.querySelectorAll('h1, h2, h3, p, th, td, dt, dd, figure, img, main svg')].filter(shown)].map((one) => [name(one), ...boxOf(one)]);
  return { problems, boxes };
}

/** Everything of the page is there and drawn. */
async function drawn(page) {
  await settled(page);
  await page.waitForLoadState('networkidle');
  // A font that came late is used from the next change of style on (font-display: optional), so one is made before measuring.
  await page.evaluate(() => document.fonts.ready);
  for (const colorScheme of ['dark', 'light']) await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
}

for (const locale of ['en-US', 'zh-CN', 'ja-JP']) {
  for (const width of ['wide', 'narrow']) {
    test(`pages keep their shape: ${locale}, ${width}`, async () => {
      const found = [];
      const pictures = locale === 'en-US' ? thumbnails(await stage.open('about:blank')) : undefined; // other letters are those of the machine
      for (const [path, signedIn] of Object.entries(paths)) {
        const page = await stage.open('about:blank', { locale, width, reducedMotion: 'reduce' });
        await page.addInitScript((now) => (Date.now = () => now), Date.now());
        if (signedIn) await signIn(page, stage.server);
        await page.goto(path);
        await drawn(page);
        const light = await page.evaluate(look, { rounding, keys });
        const picture = async (theme) => {
          // What requests there were, and how long they took, is another thing each time.
          if (!pictures || path === '/runtime?view=requests') return;
          let differs;
          // On a busy machine the font may come so late that only another change of style brings it.
          for (let tries = 0; tries < 3; tries++) {
            differs = await pictures.compare(`${fileName(path)}-${width}-${theme}`, await page.screenshot());
            if (differs.length === 0) return;
            for (const colorScheme of [theme === 'dark' ? 'light' : 'dark', theme]) await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          }
          found.push(...differs);
        };
        await picture('light');
        found.push(...light.problems.map((problem) => `${path}: ${problem}`));
        await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
        const dark = await page.evaluate(look, { rounding, keys });
        await picture('dark');
        assert.ok(light.boxes.length > 10, `${path} has ${light.boxes.length} boxes`);
        assert.equal(dark.boxes.length, light.boxes.length, `${path} has as much in the dark`);
        for (const [index, [name, ...box]] of light.boxes.entries()) {
          if (box.some((at, side) => Math.abs(at - dark.boxes[index][side + 1]) > rounding)) found.push(`${path}: ${name} moves with the theme: ${box.map(Math.round)} → ${dark.boxes[index].slice(1).map(Math.round)}`);
        }
        await page.context().close();
      }
      assert.deepEqual(found, []);
    });
  }
}

// The referee of the above: what is broken on purpose is found.
test('a page that is out of shape is found', async () => {
  const page = await stage.open('/market');
  await settled(page);
  await page.evaluate(() => {
    const box = document.createElement('div');
    box.style.cssText = 'position: relative; width: 2000px';
    for (const text of ['one', 'two']) {
      const button = document.createElement('button');
      button.textContent = text;
      button.style.cssText = 'position: absolute; inset: 0 auto auto 0; width: 40px; height: 20px; overflow: hidden; white-space: nowrap';
      if (text === 'two') button.textContent = 'far too long for so little room';
      box.append(button);
    }
    document.querySelector('main').append(box, '一。 二。');
  });
  const { problems } = await page.evaluate(look, { rounding, keys });
  for (const want of [/wider than the window/, /one and <button> far too long .* lie on each other/, /far too long .* is cut by/, /a space after a full stop/]) assert.ok(problems.some((problem) => want.test(problem)), `${want}: ${problems}`);
});

test('a view that looks different is found, and one that does not is not', async () => {
  const page = await stage.open('/market');
  await drawn(page);
  const pictures = thumbnails(await stage.open('about:blank'));
  const before = await pictures.of(await page.screenshot());
  await page.reload();
  await drawn(page);
  const { share, places } = differences(before, await pictures.of(await page.screenshot()));
  assert.ok(share <= tolerance.share, `nothing changes ${(100 * share).toFixed(1)} %: ${places}`);
  // As a style sheet, which also holds for elements that are drawn again after it came.
  const changes = {
    'another colour of the buttons': ':root { --accent: #a03060 } a, button { color: #a03060 !important }',
    'a space above the list': 'main { padding-top: 40px !important }',
    'no header': 'header { display: none !important }',
    'a shadow on everything': 'article, li { box-shadow: 0 0 0 12px #888 !important }',
  };
  for (const [name, change] of Object.entries(changes)) {
    await page.goto('/market');
    await drawn(page);
    await page.evaluate((rules) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules);
      document.adoptedStyleSheets = [sheet];
      // A picture that is taken at once may be of the frame before.
      return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    }, change);
    const { share } = differences(before, await pictures.of(await page.screenshot()));
    assert.ok(share > tolerance.share, `${name} changes ${(100 * share).toFixed(1)} %`);
  }
});
