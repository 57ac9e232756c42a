import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite, target } from './lib/suite.mjs';
import { prepare, settled, signIn, views } from './lib/views.mjs';

// The page as people set up their machines: larger, in the system's colours, without motion; and what comes with it.

const stage = suite(prepare);
const item = `/market?item=${encodeURIComponent(target.id)}`;

/** A window of 1440 at 200 %, and one of 1280 at 400 %, are this many pixels of CSS. Each view is brought up at 400 %. */
const zooms = { '400 %': { width: 320, height: 256 }, '200 %': { width: 720, height: 450 } };

test('at 200 % and 400 % nothing is cut off and nothing scrolls sideways', async () => {
  const options = { viewport: zooms['400 %'], deviceScaleFactor: 2 };
  const visitor = await stage.open('about:blank', options);
  const member = await stage.open('about:blank', options);
  await signIn(member, stage.server);
  const found = [];
  for (const [name, view] of Object.entries(views)) {
    const page = view.signedIn ? member : visitor;
    await page.setViewportSize(zooms['400 %']);
    await view.show(page);
    for (const [zoom, size] of Object.entries(zooms)) {
      await page.setViewportSize(size);
      found.push(...(await page.evaluate(cutOff, `${name} at ${zoom}`)));
    }
  }
  assert.deepEqual(found, []);
});

/** In the page: what is wider than the window, and which controls nobody can get at. */
function cutOff(name) {
  const root = document.documentElement;
  const problems = root.scrollWidth > root.clientWidth ? [`${name}: ${root.scrollWidth - root.clientWidth} px wider than the window`] : [];
  const scrolls = (one) => one && one !== document.body && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  const top = document.querySelector('dialog[open]') ?? document.body;
  for (const control of top.querySelectorAll('a, button, input, textarea, summary')) {
    const box = control.getBoundingClientRect();
    if (!control.checkVisibility() || box.width <= 1 || control.closest('.skip') || control.matches('.skip') || scrolls(control.parentElement)) continue;
    if (box.left < -1 || box.right > innerWidth + 1) problems.push(`${name}: ${control.outerHTML.slice(0, 90)} is out of reach`);
  }
  return problems;
}

test('in forced colours what is chosen, what has the focus and what is counted can be told', async () => {
  const page = await stage.open('/market?view=insights', { forcedColors: 'active' });
  const style = (locator, name) => locator.evaluate((one, name) => getComputedStyle(one)[name], name);
  const bar = page.locator('figure .bar').last();
  await bar.waitFor();
  assert.notEqual(await style(bar, 'fill'), await style(page.locator('figure').first(), 'backgroundColor'));
  const pressed = page.getByRole('group', { name: 'Period' }).getByRole('button');
  assert.notEqual(await style(pressed.first(), 'backgroundColor'), await style(pressed.last(), 'backgroundColor'));
  const places = page.locator('nav a[href^="/market"]');
  assert.notEqual(await style(places.first(), 'backgroundColor'), await style(places.nth(1), 'backgroundColor'));

  await page.goto('/market?pack=profile%2Fofficial-starter');
  const tabs = page.getByRole('tab');
  await tabs.first().waitFor();
  assert.notEqual(await style(tabs.first(), 'backgroundColor'), await style(tabs.last(), 'backgroundColor'));
  await page.keyboard.press('Tab');
  const focus = await page.evaluate(() => [getComputedStyle(document.activeElement).outlineStyle, document.activeElement.tagName]);
  assert.equal(focus[0], 'solid');
  assert.notEqual(focus[1], 'BODY');
  for (const button of await page.locator('.button:visible').all()) assert.notEqual(await style(button, 'borderTopStyle'), 'none', 'a button has an edge');
});

test('whoever wants no motion gets none, and others get it', async () => {
  for (const [reducedMotion, most] of [['reduce', 1], ['no-preference', 5000]]) {
    const page = await stage.open('about:blank', { reducedMotion });
    let answer;
    const held = new Promise((done) => (answer = done));
    await page.route('**/api/templates?*', async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    await page.goto('/market');
    await page.locator('.skeleton .shape').first().waitFor();
    const moves = await page.evaluate(() => {
      const shape = getComputedStyle(document.querySelector('.skeleton .shape'));
      const card = getComputedStyle(document.querySelector('.button'));
      return [shape.animationDuration, shape.animationIterationCount, card.transitionDuration].map((text) => (text === 'infinite' ? Infinity : Number.parseFloat(text) * (/ms$/.test(text) ? 1 : /s$/.test(text) ? 1000 : 1)));
    });
    assert.ok(moves[0] <= most && moves[2] <= most, String(moves));
    assert.equal(moves[1], reducedMotion === 'reduce' ? 1 : Infinity);
    answer();
    await settled(page);
  }
});

test('scripts come from files of ours, and markup is never made from strings', async () => {
  const page = await stage.open('/market');
  await settled(page);
  for (const path of ['/market', '/member', '/learn', '/runtime']) {
    const reply = await page.request.get(path);
    const policy = reply.headers()['content-security-policy'];
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.match(policy, /trusted-types svelte-trusted-html stoa-worker(;|$)/);
    assert.doesNotMatch(policy, /unsafe/);
    const html = await reply.text();
    assert.doesNotMatch(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
  }
  const tried = await page.evaluate(() => {
    const refused = (act) => {
      try {
        act();
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    };
    const box = document.createElement('div');
    const script = document.createElement('script');
    return {
      markup: refused(() => (box.innerHTML = '<b>x</b>')),
      script: refused(() => (script.text = '1')),
      policy: refused(() => trustedTypes.createPolicy('another', {})),
      twice: refused(() => trustedTypes.createPolicy('svelte-trusted-html', {})),
    };
  });
  assert.deepEqual(tried, { markup: true, script: true, policy: true, twice: true });
  // The refusals above are what this test is about, and are heard of; nothing else may have been said.
  for (const directive of ['require-trusted-types-for', 'trusted-types']) {
    await eventually(() => page.problems.some((problem) => problem.startsWith(`Content Security Policy breached: ${directive} `)), `the breach of ${directive}`);
  }
  assert.ok(page.problems.every((problem) => /trusted.?(html|script|type)/i.test(problem)), page.problems.join('\n'));
  page.problems.length = 0;
});

for (const [path, signedIn] of [['/market', false], [item, false], ['/member', true], ['/learn', true], ['/runtime', true]]) {
  test(`the first view of ${path} brings 120 kB of script at most`, async (t) => {
    const page = await stage.open('about:blank', { locale: 'ja-JP' });
    if (signedIn) await signIn(page, stage.server);
    const scripts = [];
    page.on('response', (reply) => reply.request().resourceType() === 'script' && scripts.push(reply.request()));
    await page.goto(path);
    await settled(page);
    await page.waitForLoadState('networkidle');
    const sizes = await Promise.all(scripts.map(async (request) => (await request.sizes()).responseBodySize));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${path}: ${scripts.length} scripts, ${total} bytes as they came`);
    assert.ok(total > 10_000 && total <= 120_000, `${total} bytes`);
  });
}
