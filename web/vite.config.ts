import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte({ configFile: false })],
  build: {
    target: 'es2023',
    // scripts/clean.mjs empties dist, keeping the committed placeholder page.
    emptyOutDir: false,
    // Every file is a file: a strict style-src and long caching both want that.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['market.html', 'member.html', 'learn.html', 'runtime.html'] },
  },
});
