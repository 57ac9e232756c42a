import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** The same engine without the parts of a window takes half the time. It sets some lines a fraction of a pixel wider. */
const shell = '/usr/bin/chromium-headless-shell';

/** Debian's Chromium, with everything off that would reach for the network. windowed: with all that a person's browser has. */
export function launch({ windowed = false } = {}) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? (!windowed && existsSync(shell) ? shell : '/usr/bin/chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

export const widths = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };

/**
 * A page of its own session. `page.problems` collects what must not happen: console errors (content security
 * violations among them), uncaught exceptions and requests to anywhere but the server.
 */
export async function open(browser, base, { width = 'wide', theme = 'light', locale = 'en-US', ...more } = {}) {
  const context = await browser.newContext({
    baseURL: base,
    viewport: widths[width],
    colorScheme: theme,
    locale,
    reducedMotion: 'reduce',
    hasTouch: width === 'narrow',
    isMobile: width === 'narrow',
    permissions: ['clipboard-read', 'clipboard-write'],
    serviceWorkers: 'block', // requests of a worker cannot be held back or changed by a test; those of it allow it
    ...more,
  });
  // Each breach of the content security policy by name, also where the browser would not write it to the console.
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) => console.error(`Content Security Policy breached: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)),
  );
  const page = await context.newPage();
  // Before its first paint the browser drops what is typed, as nobody could have typed it yet; a test could.
  for (const way of ['goto', 'reload']) {
    const go = page[way].bind(page);
    page[way] = async (...args) => {
      const reply = await go(...args);
      if (more.javaScriptEnabled !== false && /^http/.test(page.url())) {
        await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      }
      return reply;
    };
  }
  page.problems = [];
  // A refusal that a test provokes shows as a failed resource; each test names those it expects, before or after.
  page.refused = [];
  page.expected = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && !/Content Security Policy|TrustedHTML/i.test(message.text())) return;
    const where = message.location().url;
    if (/Failed to load resource/.test(message.text())) page.refused.push({ text: message.text(), where });
    else page.problems.push(`${message.text()} ${where}`);
  });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) page.problems.push(`request to ${url}`);
  });
  return page;
}
