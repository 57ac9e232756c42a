import { cpSync, mkdirSync } from 'node:fs';

// The API page: our two small files beside the published build of swagger-ui, unchanged.
const source = new URL('../docs/', import.meta.url);
const swagger = new URL('../node_modules/swagger-ui-dist/', import.meta.url);
const out = new URL('../dist/docs/', import.meta.url);

mkdirSync(out, { recursive: true });
for (const name of ['docs.html', 'docs.js', 'docs.css']) cpSync(new URL(name, source), new URL(name, out));
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE']) {
  cpSync(new URL(name, swagger), new URL(name, out));
}
