import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A question whose answers say nothing is proposed for retirement where questions are listed and while it is answered.

const stage = suite(undefined, { small: true });
const rivers = 'River of Paris::Seine\n\nRiver of Cairo::Nile\n\nRiver of London::Thames\n\nRiver of Vienna::Danube\n\nRiver of Rome::Tiber\n';

/** A learner who knows all rivers but is never right about the first; they were asked every other day. */
async function learner(options) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: [{ sourcePath: 'Rivers.md', content: rivers }] } });
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const unit = data.nodes.find(({ title }) => title === 'Rivers');
  const items = (await (await page.request.get(`/api/knowledge/questions?atomId=${unit.atomId}`)).json()).data.items;
  const bad = items.find(({ prompt }) => prompt === 'River of Paris');
  const order = [...items.filter((one) => one !== bad), bad];
  for (let session = 0; session < 8; session++) {
    const actions = order.map(({ questionId }, n) => ({ id: `a${n}`, kind: 'quiz', atomId: unit.atomId, questionId, source: 'mastery_path' }));
    const outcomesByActionId = Object.fromEntries(order.map((one, n) => [`a${n}`, one === bad ? 'incorrect' : 'correct']));
    const executedAt = new Date(Date.now() - (20 - 2 * session) * 86_400_000).toISOString();
    const sent = await page.request.post('/api/knowledge/session/execute', { data: { sessionPlan: { actions }, outcomesByActionId, executedAt } });
    assert.equal(sent.status(), 200, await sent.text());
  }
  return { page, unit, bad };
}

const stateOf = async (page, unit, bad) => (await (await page.request.get(`/api/knowledge/questions?atomId=${unit.atomId}`)).json()).data.items.find(({ questionId }) => questionId === bad.questionId);

test('the notes page lists it with its figures; it is kept, and retired, and both are taken back', async () => {
  const { page, unit, bad } = await learner();
  await page.goto('/learn?view=notes');
  await settled(page);
  await page.getByText('Questions whose answers say nothing').click();
  const card = page.locator('.question').filter({ hasText: 'River of Paris' });
  await card.getByText('You get this wrong even when you know the concept.').waitFor();
  assert.match(await card.locator('.retirement').innerText(), /0 of 8 answers were right; \d/);
  assert.equal(await page.locator('details .question').count(), 1);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px overflow`);
  }
  if (process.env.STOA_SHOTS) await page.screenshot({ path: `${process.env.STOA_SHOTS}/retirement.png`, fullPage: true });
  await card.getByRole('button', { name: 'Keep' }).click();
  await card.getByText('You keep it.').waitFor();
  assert.equal((await stateOf(page, unit, bad)).retirement.kept, true);
  await page.locator('.toasts').getByRole('button', { name: 'Undo', exact: true }).click();
  await eventually(async () => (await stateOf(page, unit, bad)).retirement.kept === false, 'it is proposed again');
  await card.getByRole('button', { name: 'Retire', exact: true }).click();
  await eventually(async () => (await stateOf(page, unit, bad)).state === 'retired', 'retired');
  await card.getByRole('button', { name: 'Restore' }).click();
  await eventually(async () => (await stateOf(page, unit, bad)).state === 'active', 'asked again');
});

test('in a session it is proposed once the answer is shown', async () => {
  const { page, unit, bad } = await learner({ width: 'narrow' });
  const made = (await (await page.request.post('/api/knowledge/session/plan', { data: { focusAtomIds: [unit.atomId], maxActions: 1 } })).json()).data;
  const plan = { ...made, actions: [{ ...made.actions[0], kind: 'quiz', atomId: unit.atomId, title: unit.title, questionId: bad.questionId }] };
  await page.goto('/learn');
  await settled(page);
  await page.evaluate(([run]) => sessionStorage.setItem('stoa.learn.run', run), [JSON.stringify({ user: stage.server.userId, plan, kind: 'session', key: 'doubt-1', at: 0, step: 'ask', spent: 0, answers: {}, outcomes: {}, times: {} })]);
  await page.reload();
  await settled(page);
  await page.getByRole('button', { name: 'Show the answer' }).click();
  const note = page.locator('.run .retirement');
  await note.getByText('You get this wrong even when you know the concept.').waitFor();
  if (process.env.STOA_SHOTS) await page.screenshot({ path: `${process.env.STOA_SHOTS}/retirement-run.png`, fullPage: true });
  await note.getByRole('button', { name: 'Retire', exact: true }).click();
  await eventually(async () => (await stateOf(page, unit, bad)).state === 'retired', 'retired');
  await page.getByText('The question is retired and no longer asked.').waitFor();
});
