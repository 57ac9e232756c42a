import { readdirSync, rmSync } from 'node:fs';

// placeholder.html is committed so that the Go package embeds something before the first build.
const dist = new URL('../dist/', import.meta.url);
for (const name of readdirSync(dist)) {
  if (name !== 'placeholder.html') rmSync(new URL(name, dist), { recursive: true });
}
