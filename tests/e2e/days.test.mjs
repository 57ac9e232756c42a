import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notes } from './lib/school.mjs';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// The day on the learn start page: what is due and new, how many days in a row, and a goal.

const stage = suite(undefined, { small: true });

test('the start page counts what is due, the answers of today and the days in a row', async () => {
  const page = await stage.open('about:blank', { width: 'narrow' });
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: notes() } });
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const some = data.nodes.slice(0, 3);
  for (const ago of [0, 1, 2, 5]) {
    const actions = some.map(({ atomId, title }) => ({ id: `quiz:${atomId}`, kind: 'quiz', atomId, title, estimatedMinutes: 5, source: 'mastery_path' }));
    const executed = await page.request.post('/api/knowledge/session/execute', {
      data: { sessionPlan: { actions, summary: { pathStrategy: 'balanced' } }, outcomesByActionId: Object.fromEntries(actions.map(({ id }) => [id, 'correct'])), executedAt: new Date(Date.now() - ago * 86_400_000 - 1000).toISOString() },
    });
    assert.equal(executed.status(), 200);
  }
  await page.goto('/learn');
  await settled(page);
  const days = page.getByRole('region', { name: 'Your days' });
  await days.getByText('3 days').waitFor();
  await days.getByRole('img', { name: '12 answers on 4 days in the last 26 weeks' }).waitFor();
  await days.getByText('3 / 20').waitFor();
  await days.getByLabel('Goal per day').fill('3');
  await days.getByLabel('Goal per day').blur();
  await days.getByText('3 / 3').waitFor();
  await page.reload();
  await settled(page);
  await days.getByText('3 / 3').waitFor();
  assert.equal(await days.locator('.map .l4').count(), 4);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px wider than the window`);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
});
