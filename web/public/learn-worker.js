// The service worker of /learn. It keeps the files of the page, and answers from what the page kept of a study session
// (src/learn/offline.ts) when the network fails. It never stores an answer of the API itself.
const files = 'stoa-files';
const session = 'stoa-session';
const mostFiles = 400;
/** How long a page that is kept waits for the server's own, in milliseconds. */
const pageWait = 5000;

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || request.headers.has('Range')) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(file(request));
  else if (pathname.startsWith('/api/')) event.respondWith(answer(request));
});

// The page names the files that it was loaded with before there was a worker.
addEventListener('message', (event) => {
  const urls = Array.isArray(event.data?.keep) ? event.data.keep : [];
  event.waitUntil(Promise.allSettled(urls.map(async (url) => (await kept(url)) ?? fetchAndKeep(url))));
});

function kept(request) {
  return caches.match(request, { cacheName: files, ignoreVary: true });
}

async function fetchAndKeep(request) {
  const reply = await fetch(request);
  if (reply.ok && !reply.redirected) await keep(new URL(reply.url).pathname, reply.clone());
  return reply;
}

async function keep(path, reply) {
  const cache = await caches.open(files);
  await cache.put(path, reply);
  const all = await cache.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - mostFiles)).map((old) => cache.delete(old)));
}

/** Every view of the school is one page. */
async function page(request) {
  const old = await kept('/learn');
  const fresh = fetchAndKeep(request);
  if (!old) return fresh;
  const late = new Promise((done) => setTimeout(() => done(old), pageWait));
  return Promise.race([fresh.catch(() => old), late]);
}

/** The name of a file changes with what is in it. */
async function file(request) {
  return (await kept(request)) ?? fetchAndKeep(request);
}

async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const old = await caches.match(request, { cacheName: session, ignoreVary: true });
    if (old) return old;
    throw error;
  }
}
