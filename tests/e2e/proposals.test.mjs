import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A language model proposes questions, or checks prerequisites: the estimate, the start, the decision. The model says what was recorded for the tests.

const record = JSON.parse(readFileSync(new URL('../../internal/httpapi/testdata/proposals.json', import.meta.url), 'utf8'));
const asked = [];
const model = createServer((request, reply) => {
  let text = '';
  request.on('data', (part) => (text += part)).on('end', () => {
    const material = JSON.parse(JSON.parse(text).messages[1].content);
    asked.push(material);
    const content = material.pairs ? JSON.stringify({ pairs: material.pairs.map(({ n }) => ({ n, answer: 'related' })) }) : material.question ? record.questions[material.question] : record.notes[material.note.title];
    reply.setHeader('Content-Type', 'application/json');
    reply.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
  });
});
await new Promise((done) => model.listen(0, '127.0.0.1', done));
model.unref();
after(() => {
  model.closeAllConnections();
  model.close();
});
const stage = suite(undefined, { small: true, flags: ['--tutor.local.url', `http://127.0.0.1:${model.address().port}/v1`, '--tutor.local.model', 'small'] });

test('questions are proposed after an estimate that was agreed to, and asked after they were accepted', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: [
    { sourcePath: 'biology/Osmosis.md', content: '# Osmosis\n\nIn osmosis water passes a membrane that holds the solute back, from the side with less solute to the side with more. It ends when the pressure on the fuller side pushes the water back.\n\nThe lab is on the second floor.\n' },
    { sourcePath: 'biology/Diffusion.md', content: '# Diffusion\n\nDiffusion evens out the concentration of a substance, since its particles move about by chance.\n' },
  ] } });
  await page.goto('/learn?view=notes');
  await settled(page);
  await page.getByRole('link', { name: 'Ask a language model' }).click();
  await page.getByLabel('Folder').fill('biology/');
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByText('2 to 12').waitFor();
  assert.equal(asked.length, 0, 'an estimate asks no model');
  await page.getByRole('button', { name: 'Start with this estimate' }).click();
  await page.getByText('Done', { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByText('Waiting for your decision (3)').waitFor();
  await page.getByText('What was not offered, and why').click();
  await page.getByText('Evidence not found in the note: 1').waitFor();
  for (const [width, scheme] of [[1440, 'light'], [390, 'dark']]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px overflow`);

  }
  const atom = (await (await page.request.get('/api/knowledge/graph')).json()).data.nodes.find(({ title }) => title === 'Osmosis').atomId;
  const next = async () => (await (await page.request.get(`/api/knowledge/question?atomId=${atom}`)).json()).data.question?.prompt;
  assert.notEqual(await next(), 'What passes a membrane?');
  await page.getByRole('button', { name: 'Edit “What passes the membrane in osmosis?”' }).click();
  await page.getByLabel('Question', { exact: true }).fill('What passes a membrane?');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Reject “Why does osmosis come to an end?”' }).click();
  await page.getByText('1 question rejected').waitFor();
  await page.getByRole('button', { name: 'Accept all of “Osmosis”' }).click();
  await page.getByText('Waiting for your decision (1)').waitFor();
  assert.equal(await next(), 'What passes a membrane?');
  await page.getByRole('button', { name: 'Accept “What evens out in diffusion?”' }).click();
  await page.getByText('No proposed questions are waiting.').waitFor();
});

test('inferred prerequisites are checked, the verdict is told, and all of it is put aside', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: [
    { sourcePath: 'animals/Bird.md', content: '# Bird\n\nA bird is an animal with feathers.\n' },
    { sourcePath: 'animals/Heron.md', content: '# Heron\n\nA heron is a [[Bird]] with long legs.\n' },
  ] } });
  await page.goto('/learn?view=proposals');
  await settled(page);
  await page.getByLabel('Check inferred prerequisites').check();
  await page.getByLabel('Folder').fill('animals/');
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByText('1 to 2').waitFor();
  await page.getByRole('button', { name: 'Start with this estimate' }).click();
  await page.getByText('a model says not needed: does not count: 1').waitFor({ timeout: 60_000 });
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  const graph = async () => (await (await page.request.get('/api/knowledge/graph')).json()).data;
  const { nodes, edges } = await graph();
  const heron = nodes.find(({ title }) => title === 'Heron').atomId;
  assert.deepEqual(edges.filter(({ targetAtomId, relationKind }) => targetAtomId === heron && relationKind === 'prerequisite').map(({ checked }) => checked), ['unrelated']);
  await page.goto(`/learn?view=map&concept=${heron}`);
  await page.getByText('inferred (20%) · a model says not needed: does not count').waitFor();
  await page.goto('/learn?view=proposals');
  await page.getByRole('button', { name: 'Discard all checks' }).click();
  await page.getByText('All checks discarded.').waitFor();
  assert.ok((await graph()).edges.every(({ checked }) => checked === ''));
});
