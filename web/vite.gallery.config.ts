import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The gallery of src/ui for developers: `npm run gallery`. A build of its own, so that nothing of it is shipped.
export default defineConfig({
  base: '/gallery/',
  plugins: [svelte({ configFile: false })],
  server: { open: '/gallery/gallery.html' },
  build: {
    target: 'es2023',
    outDir: '../.cache/gallery',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['gallery.html'] },
  },
});
