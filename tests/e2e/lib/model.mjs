import { createServer } from 'node:http';

/**
 * A model server with OpenAI's chat completions that does what the name of the model says: polite, hang, ever, page, key,
 * often. Under /open it allows calls from web pages, under /closed it does not.
 */
export async function startModel() {
  const model = { asked: [], base: '' };
  const server = createServer((request, reply) => {
    const open = request.url.startsWith('/open/');
    if (open) {
      reply.setHeader('Access-Control-Allow-Origin', '*');
      reply.setHeader('Access-Control-Allow-Headers', '*, Authorization');
    }
    if (request.method === 'OPTIONS') return reply.writeHead(open ? 204 : 405).end();
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text);
      model.asked.push({ body, key: request.headers.authorization ?? '', origin: request.headers.origin, way: open ? 'open' : 'closed' });
      answer(body, reply);
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  model.base = `http://127.0.0.1:${server.address().port}`;
  model.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return model;
}

const said = (content, finish = null) => `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;

function answer({ model, messages }, reply) {
  if (model === 'key') return reply.writeHead(401).end();
  if (model === 'often') return reply.writeHead(429).end();
  if (model === 'page') return reply.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Router</title>');
  reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
  if (model === 'hang') return reply.write(said('One moment'));
  if (model === 'ever') {
    // One piece at a time: the test runs in this process, and a reader as fast as the writer would keep it from ever going on.
    const more = () => {
      if (reply.destroyed) return;
      if (reply.write(said('la '.repeat(2000)))) setImmediate(more);
      else reply.once('drain', more);
    };
    return more();
  }
  const last = messages.at(-1).content;
  const system = messages[0].role === 'system' ? messages[0].content : '';
  reply.write(said('Certainly. '));
  reply.end(said(`You asked “${last}”; ${/translat/i.test(system) ? 'I translate' : 'I am somebody else'}.`, 'stop') + 'data: [DONE]\n\n');
}
