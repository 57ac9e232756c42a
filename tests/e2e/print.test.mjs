import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { choose } from './lib/choose.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// Questions on paper, from the page of notes with one press; reviews as a file, out and in.

const stage = suite(undefined, { small: true });
const shots = process.env.STOA_SHOTS;

const maths = 'The derivative of $x^2$ is::$2x$ for every $x$\n\nThe sum of the angles of a triangle::$\\pi$\n';
const capitals = ['France::Paris', 'Italy::Rome', 'Spain::Madrid'].map((pair) => `Capital of ${pair}`).join('\n\n');

async function learner(options) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: [{ sourcePath: 'vault/Maths/Analysis.md', content: maths }, { sourcePath: 'vault/World/Capitals.md', content: capitals }] } });
  return page;
}

async function shown(page, name) {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: ${width} px overflow`);
    if (shots) {
      mkdirSync(shots, { recursive: true });
      await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('all questions, those of a folder, answers at the end, and on paper nothing else', async () => {
  const page = await learner();
  await page.goto('/learn?view=notes');
  await settled(page);
  await page.getByRole('link', { name: 'Print questions' }).click();
  const cards = page.locator('ol.cards > li');
  await eventually(async () => (await cards.count()) >= 5, 'every question has a card');
  await eventually(async () => (await page.locator('.formula[role=math] .katex').count()) >= 4, 'formulas are drawn');
  await shown(page, 'print-cards');
  await choose(page.getByRole('combobox', { name: 'What to print' }), 'vault › World');
  await eventually(async () => (await cards.filter({ hasText: 'derivative' }).count()) === 0 && (await cards.filter({ hasText: 'Capital of Spain' }).count()) === 1, 'the folder’s questions alone');
  await page.getByRole('heading', { name: 'vault › World', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Answers at the end' }).click();
  await page.getByRole('heading', { name: 'Answers', exact: true }).waitFor();
  assert.ok((await page.locator('section.answers li').first().textContent()).length > 0);
  await shown(page, 'print-list');

  await page.emulateMedia({ media: 'print' });
  for (const gone of ['header.topbar', '.off-paper', 'nav']) assert.equal(await page.locator(gone).first().isVisible(), false, `${gone} is on paper`);
  assert.equal(await page.getByText('Capital of Spain').first().isVisible(), true);
  if (shots) await page.screenshot({ path: `${shots}/print-paper.png`, fullPage: true });
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => (window.print = () => (window.printed = true)));
  await page.getByRole('button', { name: 'Print', exact: true }).click();
  assert.equal(await page.evaluate(() => window.printed), true);
});

test('reviews go out as CSV and come in again by the buttons of the notes page', async () => {
  const page = await learner();
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const atomId = data.nodes.find(({ title }) => title === 'Capitals').atomId;
  await page.request.post('/api/knowledge/session/action', { data: { action: { kind: 'review', atomId }, outcome: 'good', answer: 'Paris' } });
  await page.goto('/learn?view=notes');
  await settled(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export reviews (CSV)' }).click()]);
  assert.equal(download.suggestedFilename(), 'revlog.csv');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: /Import reviews/ }).click()]);
  await chooser.setFiles(await download.path());
  await page.getByText(/1 (older|known)|older/).first().waitFor();
});
