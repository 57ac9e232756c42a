import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

// What a first view of each surface downloads: its scripts with everything they import statically, one language, its styles.
const dist = new URL('../dist/', import.meta.url);
const limit = 120_000;
const size = (path) => gzipSync(readFileSync(new URL(path, dist)), { level: 9 }).length;

let failed = false;
for (const page of ['home.html', 'market.html', 'member.html', 'learn.html', 'runtime.html', 'missing.html', 'console.html']) {
  const whole = readFileSync(new URL(page, dist), 'utf8');
  const html = whole.replace(/<link[^>]*data-language[^>]*>/g, '');
  const files = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1]);
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path) || !existsSync(new URL(path, dist))) return;
    seen.add(path);
    if (!path.endsWith('.js')) return;
    const code = readFileSync(new URL(path, dist), 'utf8');
    for (const match of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) visit(`assets/${match[1]}`);
  };
  files.forEach(visit);
  const total = (ending) => [...seen].filter((path) => path.endsWith(ending)).reduce((sum, path) => sum + size(path), 0);
  // The words of one language come with a page, see wordsFirst in vite.config.ts; count the heaviest. What comes later, such as the
  // drawing of formulas or the words of a dialog, is not of the first view; tests/e2e/look.test.mjs measures what that really brings.
  const weights = {};
  for (const [link] of whole.matchAll(/<link[^>]*data-language[^>]*>/g)) {
    const language = /data-language="([^"]+)"/.exec(link)[1];
    weights[language] = (weights[language] ?? 0) + size(/href="\/([^"]+)"/.exec(link)[1]);
  }
  const js = total('.js') + Math.max(0, ...Object.values(weights));
  console.log(`${page}: ${(js / 1000).toFixed(1)} kB of script, ${(total('.css') / 1000).toFixed(1)} kB of style (gzip)`);
  if (js > limit) failed = true;
}
if (failed) {
  console.error(`a first view may load ${limit / 1000} kB of script at most`);
  process.exit(1);
}
