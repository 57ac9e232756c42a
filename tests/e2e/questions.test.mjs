import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idsOf } from './lib/school.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// What is asked, as it is drawn: formulas, code and lists in prompts, answers and titles.

const stage = suite(undefined, { small: true });

const written = [
  'The derivative of $x^2$ is::$2x$ for **every** `x`',
  'State the $p$-norm in \\(\\mathbb{R}^n\\)::$$\\lVert x \\rVert_p = \\left(\\sum_i |x_i|^p\\right)^{1/p}$$',
  'Which ring has $a^{-1}$ for all $a \\neq 0$?\n?\n- a field\n- with *two* operations, $+$ and $\\cdot$',
].join('\n\n');

async function learner(options) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: [{ sourcePath: 'maths/The $L^p$ norms.md', content: `Norms measure the length of vectors, and all of them agree in what converges.\n\n${written}\n` }] } });
  return page;
}

const hostile = { prompt: 'Press <img src=x onerror="window.ran=1"> or [this](javascript:window.ran=2) or $\\href{javascript:window.ran=3}{that}$', accepted: ['<script>window.ran=4</script>no'] };

test('formulas, code and lists of a question are drawn on the note’s page, and nothing in it runs', async () => {
  const page = await learner();
  const id = (await idsOf(page.request))['The $L^p$ norms'];
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const saved = await page.request.post('/api/knowledge/questions', { data: { atomId: data.nodes.find(({ title }) => title.includes('norms')).atomId, ...hostile } });
  assert.equal(saved.status(), 200);
  await page.goto(`/learn?view=note&note=${encodeURIComponent(id)}`);
  await settled(page);
  await page.getByText('Questions on “').click();
  const cards = page.locator('aside .question');
  await cards.first().waitFor();
  const derivative = cards.filter({ hasText: 'The derivative of' });
  await derivative.scrollIntoViewIfNeeded();
  await eventually(async () => (await derivative.locator('.formula[role=math] .katex').count()) === 2, 'both formulas drawn');
  assert.equal(await derivative.locator('.answer strong').innerText(), 'every');
  assert.equal(await derivative.locator('.answer code').innerText(), 'x');
  assert.ok(!(await derivative.innerText()).includes('$'), 'LaTeX is shown raw');
  const norm = cards.filter({ hasText: 'State the' });
  await norm.scrollIntoViewIfNeeded();
  await eventually(async () => (await norm.locator('.answer .formula.display[role=math]').count()) === 1, 'a formula on a line of its own');
  const pressed = cards.filter({ hasText: 'Press' });
  await pressed.scrollIntoViewIfNeeded();
  await eventually(async () => (await pressed.locator('.formula').getAttribute('class')).includes('broken') || (await pressed.locator('.formula').getAttribute('role')) === 'math', 'the hostile formula refused or drawn');
  for (const part of await pressed.getByText(/this|that/).all()) await part.click({ timeout: 2000, force: true });
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await pressed.locator(':is(script, iframe, img, form, object)').count(), 0);
  assert.deepEqual(await page.locator('aside .question a').evaluateAll((all) => all.map((a) => a.protocol).filter((protocol) => !/^https?:$/.test(protocol))), []);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  assert.deepEqual(violations.map(({ id: rule, nodes }) => `${rule}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
});

test('in a session the question is drawn, and its answer whether one was typed or not', async () => {
  const page = await learner({ width: 'narrow' });
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const unit = data.nodes.find(({ title }) => title === 'The $L^p$ norms');
  const questions = (await (await page.request.get(`/api/knowledge/questions?atomId=${unit.atomId}`)).json()).data.items;
  const asked = questions.find(({ prompt }) => prompt.startsWith('Which ring'));
  const made = (await (await page.request.post('/api/knowledge/session/plan', { data: { focusAtomIds: [unit.atomId], maxActions: 1 } })).json()).data;
  const plan = { ...made, actions: [{ ...made.actions[0], kind: 'quiz', atomId: unit.atomId, title: unit.title, questionId: asked.questionId }] };
  await page.goto('/learn');
  await settled(page);
  await page.evaluate(([run]) => sessionStorage.setItem('stoa.learn.run', run), [JSON.stringify({ user: stage.server.userId, plan, kind: 'session', key: 'drawn-1', at: 0, step: 'ask', spent: 0, answers: {}, outcomes: {}, times: {} })]);
  await page.reload();
  await settled(page);
  await eventually(async () => (await page.locator('.run .question .formula[role=math]').count()) === 2, 'the question’s formulas');
  await eventually(async () => (await page.locator('.run h2 .formula[role=math]').count()) === 1, 'the title’s formula');
  await page.getByRole('button', { name: 'Show the answer' }).click();
  const answer = page.locator('.run .expected');
  await eventually(async () => (await answer.locator('li').count()) === 2 && (await answer.locator('.formula[role=math]').count()) === 2, 'the answer as a list with formulas');
  assert.equal(await answer.locator('em').innerText(), 'two');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px wider than the window`);
});
