// Largest contentful paint and layout shift of each surface's first visit, on a throttled connection and processor, as a table
// for docs/pages.md: `node vitals.mjs`.
import { launch, open } from './lib/browser.mjs';
import { startServer } from './lib/server.mjs';
import { signIn } from './lib/views.mjs';

const rounds = Number(process.env.ROUNDS ?? 3);
const processor = 4; // times slower
const network = { offline: false, latency: 40, downloadThroughput: (10 * 1024 * 1024) / 8, uploadThroughput: (5 * 1024 * 1024) / 8 };
const surfaces = { '/': false, '/market': false, '/learn': true, '/member': true, '/runtime': true, '/console': false };

async function visit(browser, server, path, member) {
  const page = await open(browser, path === '/console' ? server.console : server.base, { width: 'narrow' });
  if (member) {
    await signIn(page, server);
    // As every sign-in on a page leaves it.
    await page.addInitScript((id) => localStorage.setItem('stoa.here', `member ${id}`), server.userId);
  }
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: processor });
  await page.addInitScript(() => {
    window.vitals = { paint: 0, shift: 0 };
    new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.vitals.paint = one.startTime))).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.vitals.shift += one.hadRecentInput ? 0 : one.value))).observe({ type: 'layout-shift', buffered: true });
  });
  delete page.goto; // open's own waits by a script of 40 ms that runs in the page while it loads
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy="true"]'));
  const found = await page.evaluate(() => window.vitals);
  await page.context().close();
  return found;
}

const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [server, browser] = await Promise.all([startServer(), launch({ windowed: true })]);
console.log(`| surface | largest contentful paint | layout shift |\n|---|---|---|`);
for (const [path, member] of Object.entries(surfaces)) {
  const all = [];
  for (let round = 0; round < rounds; round++) all.push(await visit(browser, server, path, member));
  console.log(`| \`${path}\` | ${(middle(all.map(({ paint }) => paint)) / 1000).toFixed(2)} s | ${middle(all.map(({ shift }) => shift)).toFixed(3)} |`);
}
await browser.close();
await server.stop();
