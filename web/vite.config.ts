import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { chunksOf } from './scripts/chunks.ts';
import { firstViews } from './scripts/firstview.ts';

const surfaces = { 'home.html': 'Home', 'market.html': 'Market', 'member.html': 'Member', 'learn.html': 'Learn', 'runtime.html': 'Status', 'missing.html': 'Not found', 'console.html': 'Console' };
const titleOf = (id: string) => surfaces[basename(id) as keyof typeof surfaces];

/** The pages of the surfaces are one page, surface.html; each has its own title and script. */
const pages: Plugin = {
  name: 'stoa-pages',
  resolveId: (id) => (titleOf(id) ? resolve(id) : undefined),
  load: (id) => titleOf(id) && readFileSync('surface.html', 'utf8').replaceAll('%TITLE%', titleOf(id)).replace('%SURFACE%', basename(id, '.html')),
};

/** Of the fonts of formulas one form of each is enough for every browser that the pages are built for. */
const fonts: Plugin = {
  name: 'stoa-fonts',
  enforce: 'pre',
  transform: (code, id) => (/katex[^/]*\.css/.test(id) ? code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, '') : undefined),
};

/** Svelte makes an error while it loads; to note where, the engine would parse that whole script once more: 57 of 1000 ms on a slow phone. */
const untraced: Plugin = {
  name: 'stoa-untraced',
  transform(code, id) {
    if (!/svelte\/src\/internal\/client\/constants\.js/.test(id)) return undefined;
    const without = code.replace(/new \(class StaleReactionError extends Error \{([\s\S]*?)\}\)\(\);/, (_, fields: string) => `Object.assign(Object.create(Error.prototype), {${fields.replaceAll(' = ', ': ').replaceAll(';', ',')}});`);
    if (without === code) this.error('Svelte makes StaleReactionError in another way now: see whether it still makes an error while it loads.');
    return without;
  },
};

/**
 * Puts into a page, each language apart, the names of its words and its heading, which is seen before the scripts are there: the
 * server leaves the language in that the browser asks for.
 */
const wordsFirst: Plugin = {
  name: 'stoa-words',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { filename, bundle }) => {
      const tags = Object.values(bundle ?? {}).flatMap((file) => {
        const [, part, language] = /\/locales\/(?:(\w+)\.)?(\w\w-\w\w)\.json$/.exec((file.type === 'chunk' && file.facadeModuleId) || '') ?? [];
        if (!language || (part && part !== basename(filename, '.html'))) return [];
        return [{ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: '', 'data-language': language, href: `/${file.fileName}` }, injectTo: 'head' as const }];
      });
      return { html: html.replace('<div id="app">', `<div id="app">${firstViews(basename(filename, '.html'))}`), tags };
    },
  },
};

export default defineConfig({
  // Words are quicker to read as JSON than as a script.
  json: { stringify: true, namedExports: false },
  plugins: [pages, fonts, untraced, wordsFirst, svelte({ configFile: false })],
  build: {
    target: 'es2023',
    // scripts/clean.mjs empties dist, keeping the committed placeholder page.
    emptyOutDir: false,
    // Every file is a file: a strict style-src and long caching both want that.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.keys(surfaces),
      output: { codeSplitting: { groups: chunksOf(Object.keys(surfaces)) } },
    },
  },
});
