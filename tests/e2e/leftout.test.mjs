import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose } from './lib/choose.mjs';
import { idsOf } from './lib/school.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// What is not studied says why and can be included; a question's earlier versions come back.

const stage = suite(undefined, { small: true });

test('a template is included from the notes page, and left to the rules again', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: [
    { sourcePath: 'Templates/Book.md', content: '# Book\n\nA book is a set of pages that are bound on one side, with a cover.\n' },
    { sourcePath: 'Group.md', content: 'A group is a set with an associative operation, an identity and inverses.\n\nCapital of France::Paris\n' },
  ] } });
  await page.goto('/learn?view=notes');
  await settled(page);
  await page.getByText('What is not studied, and why').click();
  await page.getByText('A template · Templates/Book.md').waitFor();
  await page.getByRole('button', { name: 'Include “Book”' }).click();
  await page.getByText('“Book” is studied now.').waitFor();
  await page.getByText('Included by you').waitFor();
  const titles = async () => (await (await page.request.get('/api/knowledge/graph')).json()).data.nodes.map(({ title }) => title);
  assert.ok((await titles()).includes('Book'));
  // At once: the message goes away after a while.
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('“Book” is not studied.').waitFor();
  await eventually(async () => !(await titles()).includes('Book'), 'the template is left out again');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px overflow`);
  }
});

test('a unit is left out from its note, and a question has its earlier version back', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  const id = (await idsOf(page.request)).Group;
  await page.goto(`/learn?view=note&note=${encodeURIComponent(id)}`);
  await settled(page);
  await page.getByText('Questions on “').click();
  const card = page.locator('aside .question').filter({ hasText: 'Capital of France' });
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Question', { exact: true }).fill('Which city is the capital of France?');
  await card.getByRole('button', { name: 'Save' }).click();
  const edited = page.locator('aside .question').filter({ hasText: 'Which city' });
  await choose(edited.getByRole('combobox', { name: 'Flag' }), 'Green flag');
  await edited.locator('.flag').getByText('Green flag').waitFor();
  await edited.getByRole('button', { name: 'Edit' }).click();
  await edited.getByLabel('Question', { exact: true }).fill('Which city rules France?');
  await edited.getByRole('button', { name: 'Save' }).click();
  const last = page.locator('aside .question').filter({ hasText: 'rules France' });
  await last.getByRole('button', { name: 'Earlier versions' }).click();
  await last.getByRole('button', { name: 'Restore version 0' }).waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id: rule, nodes }) => [rule, nodes.map(({ html }) => html)]), []);
  await last.getByRole('button', { name: 'Restore version 0' }).click();
  await page.locator('aside .question').filter({ hasText: 'Capital of France' }).waitFor();

  await page.getByRole('button', { name: 'Leave out “Group”' }).click();
  await page.getByText('Left out by you').waitFor();
  await page.getByRole('button', { name: 'Undo my choice for “Group”' }).click();
  await page.getByRole('button', { name: 'Leave out “Group”' }).waitFor();
});
