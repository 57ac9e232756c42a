import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, signInAs } from './lib/incident.mjs';
import { bringMaths, idsOf, maths, question } from './lib/school.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// Notes to be read: mathematics and pictures, hostile ones, the questions of a note, a passage in a session.

const stage = suite(undefined, { small: true });
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function reader(options) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  return page;
}

const openNote = async (page, id) => {
  await page.goto(`/learn?view=note&note=${encodeURIComponent(id)}`);
  await settled(page);
  await page.locator('article .written').first().waitFor();
};

test('boxes of the plug-in Admonition and macros of the vault are drawn', async () => {
  const page = await reader();
  await page.goto('/learn?view=notes');
  await settled(page);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await chooser).setFiles(maths);
  await page.getByRole('link', { name: 'Ball', exact: true }).click();
  const note = page.getByRole('article', { name: 'Ball' });
  await note.locator('.callout').getByText('Ball.').waitFor();
  assert.equal(await note.locator('.callout li').count(), 2);
  await eventually(async () => (await note.locator('.formula[role=math] .katex').count()) === (await note.locator('.formula').count()), 'every formula drawn');
  const read = await note.locator('.formula').evaluateAll((list) => list.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual([read[1], read[2], read.at(-1)], ['\\{y : d(x, y) < r\\}', '\\left\\langle X, d \\right\\rangle', 'B_r \\subseteq X, \\unheardof{x}']);
  assert.equal(await note.locator('.formula.broken').count(), 0);
  await page.getByText('Questions on “Ball”').click();
  await page.getByText('it is open').last().waitFor(); // the answer goes through its list
});

test('a vault of mathematics comes in by its folder and reads as it was meant', async () => {
  const page = await reader();
  await page.goto('/learn?view=notes');
  await settled(page);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await chooser).setFiles(maths);
  await page.getByText('1 picture or sound imported.').waitFor();
  await page.getByRole('link', { name: 'Metric space' }).click();
  await page.getByRole('heading', { level: 1, name: 'Metric space' }).waitFor();

  const note = page.getByRole('article', { name: 'Metric space' });
  await note.locator('details.callout summary').click();
  await eventually(async () => (await note.locator('.formula').count()) === (await note.locator('.formula[role=math] .katex').count()), 'every formula drawn');
  assert.ok((await note.locator('.formula').count()) >= 9);
  assert.equal(await note.locator('.formula.broken').count(), 0);
  await eventually(() => page.evaluate(() => document.fonts.check('16px KaTeX_Main')), 'the font of formulas');
  const picture = note.locator('img');
  await picture.scrollIntoViewIfNeeded();
  await eventually(() => picture.evaluate((img) => img.naturalWidth === 96 && img.clientWidth === 120), 'the picture at its width');
  await eventually(async () => (await note.locator('.hljs-keyword').count()) > 0, 'coloured code');
  assert.equal(await note.locator('table th').count(), 2);
  assert.equal(await note.locator('.task').count(), 2);
  assert.equal(await note.locator('.missing').innerText(), 'Nowhere');
  assert.equal(await note.getByText('tags:').count(), 0);

  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(rules).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);

  // Along a link to a place in another note, and back by what links to that.
  await note.getByRole('link', { name: 'limits' }).click();
  await page.getByRole('heading', { level: 1, name: 'Limit' }).waitFor();
  await page.getByRole('heading', { name: 'Uniqueness' }).waitFor();
  await eventually(() => page.locator('article img').first().evaluate((img) => img.naturalWidth === 96), 'the picture by its path');
  await page.getByRole('region', { name: 'Linked from' }).getByRole('link', { name: 'Metric space' }).click();
  await page.getByRole('heading', { level: 1, name: 'Metric space' }).waitFor();
});

const hostile = [
  '<script>window.ran = 1</script><img src=x onerror="window.ran=2"><svg onload="window.ran=3"><iframe src="javascript:parent.ran=4"></iframe>',
  '[press](javascript:window.ran=5) [press](data:text/html,<script>parent.ran=6</script>) <a href="javascript:window.ran=7">press</a>',
  '$\\href{javascript:window.ran=8}{press}$ $\\htmlStyle{position:fixed}{x}$ $\\includegraphics{https://evil.example/x.png}$ $\\url{javascript:window.ran=9}$',
  '![track](https://evil.example/track.png) <img src="https://evil.example/t.gif"> <style>@import url(https://evil.example/s.css);</style>',
  '<form action="javascript:window.ran=10"><button>press</button></form> <details ontoggle="window.ran=11" open><summary>press</summary></details>',
  '<div id="app">gone</div><div style="position:fixed;inset:0">over</div><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '```"><img src=x onerror=window.ran=12>\n<script>window.ran=13</script>\n```',
  '> [!"><img src=x onerror=window.ran=14>] title\n> <b onmouseover="window.ran=15">press</b>',
].join('\n\n');

test('nothing of a hostile note runs, loads or lies over the page', async () => {
  const page = await reader();
  await page.request.post('/api/knowledge/ingest', { data: { documents: [{ sourcePath: 'x/Hostile.md', content: hostile }] } });
  await openNote(page, (await idsOf(page.request)).Hostile);
  await page.getByText('over', { exact: true }).waitFor();
  // Counted again each time: code that is highlighted when its part of the page has come replaces what was there.
  const parts = page.locator('article').getByText('press');
  for (let at = 0; at < (await parts.count()); at++) await parts.nth(at).click({ timeout: 2000 });
  await page.locator('article .written').hover();
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.locator('article :is(script, iframe, svg, form, style, base, meta, object, embed)').count(), 0);
  assert.equal(await page.locator('article [style*=fixed], article [onload], article [onerror], article [onclick]').count(), 0);
  assert.equal(new URL(page.url()).pathname, '/learn');
  assert.deepEqual(await page.locator('article a').evaluateAll((all) => all.map((a) => a.protocol).filter((protocol) => !/^https?:$/.test(protocol))), []);
});

test('formulas that explode and a hundred thousand links leave the page alive', async () => {
  const page = await reader();
  const bombs = [
    '$\\def\\a{\\b\\b\\b\\b\\b\\b\\b\\b}\\def\\b{\\c\\c\\c\\c\\c\\c\\c\\c}\\def\\c{\\d\\d\\d\\d\\d\\d\\d\\d}\\def\\d{\\e\\e\\e\\e\\e\\e\\e\\e}\\def\\e{xxxxxxxx}\\a$',
    '$\\def\\a{\\a\\a}\\a$',
    `$${'{'.repeat(3000)}x${'}'.repeat(3000)}$`,
    `$${'\\frac{1}{'.repeat(800)}x${'}'.repeat(800)}$`,
    '$\\rule{999999em}{999999em}$',
    '$x^$ and $y$',
  ];
  await page.request.post('/api/knowledge/ingest', { data: { documents: [
    { sourcePath: 'x/Bombs.md', content: bombs.join('\n\n') },
    { sourcePath: 'x/Many links.md', content: '[[Bombs]] '.repeat(100_000) },
    { sourcePath: 'x/Many formulas.md', content: '$\\frac{a}{b}$ '.repeat(5000) },
  ] } });
  const ids = await idsOf(page.request);
  const began = Date.now();
  await openNote(page, ids.Bombs);
  // The last, which is well, is drawn: those before it did not hold the page up.
  await page.locator('article .formula').last().scrollIntoViewIfNeeded();
  await eventually(async () => (await page.locator('article .formula').last().getAttribute('role')) === 'math', 'the formula after the bombs', 20_000);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px wider than the window`);
  await openNote(page, ids['Many links']);
  await page.getByText('Part of it is not shown here.').waitFor({ timeout: 20_000 });
  assert.ok((await page.locator('article a').count()) > 10_000);
  await openNote(page, ids['Many formulas']);
  // While formulas are drawn the page answers.
  await page.getByRole('link', { name: 'Your notes' }).first().click({ timeout: 10_000 });
  await page.getByRole('heading', { level: 1, name: 'Your notes' }).waitFor();
  assert.ok(Date.now() - began < 60_000);
});

test('questions of a note are put right, left out and reported on its page', async () => {
  const page = await reader();
  const ids = await bringMaths(page.request);
  await openNote(page, ids['Metric space']);
  await page.getByText('Questions on “Metric space”').click();
  const cards = page.locator('aside .question');
  await cards.first().waitFor();
  const before = await cards.count();
  await page.getByRole('textbox', { name: 'New question' }).fill('Who gave the first definition?');
  await page.getByRole('textbox', { name: 'Answer', exact: true }).fill('Fréchet');
  await page.getByRole('button', { name: 'Add question' }).click();
  const mine = cards.filter({ hasText: 'Who gave the first definition?' });
  await mine.waitFor();
  assert.equal(await cards.count(), before + 1);
  await mine.getByRole('button', { name: 'Edit' }).click();
  await mine.getByRole('textbox', { name: 'Question' }).fill('Who defined it first?');
  await mine.getByRole('button', { name: 'Save' }).click();
  const edited = cards.filter({ hasText: 'Who defined it first?' });
  await edited.getByText('version 2').waitFor();
  await edited.getByRole('button', { name: 'Report' }).click();
  await edited.getByRole('textbox').fill('The year is missing.');
  await edited.getByRole('button', { name: 'Save' }).click();
  await edited.getByText('The year is missing.').waitFor();
  await edited.getByRole('button', { name: 'Suspend' }).click();
  await edited.getByText('suspended').waitFor();
  await edited.getByRole('button', { name: 'Restore' }).click();
  await edited.getByRole('button', { name: 'Delete' }).click();
  await edited.getByText('deleted').waitFor();
});

test('in a session the note is a key away, the answer is marked in it, and a grade can be taken back', async () => {
  const page = await reader();
  await page.request.post('/api/knowledge/ingest', { data: { documents: [{ sourcePath: 'x/Charge.md', content: 'Charge is what makes things attract or repel each other, measured since the eighteenth century.\n\nUnit of charge::coulomb\n\nUnit of current::ampere\n' }] } });
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const unit = data.nodes.find(({ title }) => title === 'Charge');
  await page.goto(`/learn?concept=${unit.atomId}`);
  await settled(page);
  await page.getByRole('button', { name: 'Start' }).click();
  const passage = page.locator('.run blockquote');
  for (let step = 0; ; step++) {
    await page.locator(`.run progress[value="${step}"]`).waitFor();
    await question(page);
    if ((await page.locator('.run h2').innerText()) === 'Charge' && (await page.locator('.run .question').count()) > 0) break;
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await page.keyboard.press('1');
  }
  if ((await passage.count()) === 0) await page.keyboard.press('F2');
  await passage.locator('.written').waitFor();
  assert.equal(await passage.locator('.evidence').count(), 0, 'the answer is marked before it was given');
  await page.getByRole('button', { name: 'I don’t know' }).click();
  await page.getByRole('heading', { name: 'How did you do?' }).waitFor();
  await passage.locator('.evidence').first().waitFor();
  const at = await page.locator('.run progress').getAttribute('value');
  await page.getByRole('button', { name: 'Edit or suspend this question' }).click();
  await page.locator('.run').getByRole('button', { name: 'Suspend', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'How did you do?' }).focus();
  await page.keyboard.press('1');
  if ((await page.locator('.run').count()) > 0) {
    await page.locator(`.run progress[value="${Number(at) + 1}"]`).waitFor();
    await page.getByRole('button', { name: 'Undo last grade' }).click();
    await page.getByRole('heading', { name: 'How did you do?' }).waitFor();
    assert.equal(await page.locator('.run progress').getAttribute('value'), at);
  }
});

for (const [locale, words] of Object.entries({
  'en-US': { add: 'Try the sample vault', start: 'Start', notes: 'Forgetting curve', remove: 'Remove the sample vault', gone: 'Sample vault removed' },
  'zh-CN': { add: '试用示例笔记', notes: '遗忘曲线', remove: '移除示例笔记', gone: '已移除示例笔记' },
  'ja-JP': { add: 'サンプルを試す', notes: '忘却曲線', remove: 'サンプルを削除', gone: 'サンプルを削除しました' },
})) {
  test(`a newcomer tries the sample vault and takes it out again: ${locale}`, async () => {
    const member = `newcomer-${locale.toLowerCase()}`;
    addMember(stage.server, member);
    const page = await stage.open('about:blank', { locale, width: locale === 'en-US' ? 'wide' : 'narrow' });
    await page.goto('/learn');
    await signInAs(page, stage.server, member);
    await page.goto('/learn');
    await settled(page);
    await page.getByRole('button', { name: words.add }).click();
    await page.locator('main ol li').first().waitFor();
    await page.goto('/learn?view=notes');
    await settled(page);
    await page.getByRole('link', { name: words.notes }).click();
    await page.getByRole('heading', { level: 1, name: words.notes }).waitFor();
    await page.locator('article .formula[role=math] .katex').first().waitFor();
    await eventually(() => page.locator('article img').evaluate((img) => img.naturalWidth > 0), 'the picture of the sample');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} px wider than the window`);
    await page.goto('/learn?view=notes');
    await settled(page);
    await page.getByRole('button', { name: words.remove }).click();
    await page.getByText(words.gone).first().waitFor();
    await eventually(async () => (await page.getByRole('link', { name: words.notes }).count()) === 0, 'the notes gone');
    await page.goto('/learn');
    await page.getByRole('button', { name: words.add }).waitFor();
  });
}
