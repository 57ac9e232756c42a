import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { folder, notes, question } from './lib/school.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A learner from the empty page on: notes in, the map, a session by keys alone, what came of it.

const stage = suite(undefined, { small: true });
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function learner(path, { fresh = false, ...options } = {}) {
  const page = await stage.open('about:blank', options);
  await signIn(page, stage.server);
  if (!fresh) await page.request.post('/api/knowledge/ingest', { data: { documents: notes() } });
  await page.goto(path);
  await settled(page);
  return page;
}

async function axe(page, where) {
  // Below the header that stays, half-covered buttons are not smaller than they are.
  await page.evaluate(() => scrollTo(0, 0));
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(rules).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `${where}: ${overflow} px wider than the window`);
}

const data = async (reply) => (await reply.json()).data;
const history = async (page) => data(await page.request.get('/api/knowledge/session/history'));
const graph = async (page) => data(await page.request.get('/api/knowledge/graph'));

/** Through one action by keys alone: type, look at the note, judge. */
async function answer(page, text, key) {
  await question(page);
  const field = page.getByRole('textbox', { name: 'Your answer' });
  await eventually(() => field.evaluate((one) => one === document.activeElement), 'the focus in the answer');
  const title = await page.locator('.run h2').innerText();
  await page.keyboard.type(text);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'How did you do?' }).waitFor();
  await page.locator('.run blockquote').waitFor();
  await page.keyboard.press(key);
  return title;
}

test('from an empty page to a recorded session', async () => {
  const page = await learner('/learn', { fresh: true });
  await page.getByText('Import your own notes.').waitFor();
  await axe(page, 'empty');
  await page.getByText('What can be imported?').click();
  await page.getByText(/up to 4\.2 MB each and 20,000 at a time/).waitFor();
  await axe(page, 'what can be imported');

  // The folder by its button; a picture and a spoilt file beside the notes.
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await (await chooser).setFiles(folder);
  const report = page.getByRole('region', { name: 'Notes imported' });
  await report.waitFor();
  await report.getByText('8 new or changed').waitFor();
  await eventually(async () => /Concepts\s+8/.test(await report.innerText()), 'eight concepts');
  assert.match(await report.innerText(), /Unresolved links\s+1/);
  assert.match(await report.innerText(), /Cycles resolved\s+1/);
  await axe(page, 'report');

  // The circle of continuity and derivatives: the relation that was left out is put right.
  await report.getByText(/Dropped: “\w+” before “\w+”/).waitFor();
  await report.getByRole('button', { name: 'Fix' }).click();
  const dialog = page.getByRole('dialog');
  await axe(page, 'correct');
  await dialog.getByRole('radio', { name: /^“Continuity” comes before|^The other way round: “Continuity” comes before/ }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Fixed\./).waitFor();
  await eventually(async () => {
    const { nodes, edges } = await graph(page);
    const id = (title) => nodes.find((node) => node.title === title).atomId;
    const needs = edges.filter((edge) => edge.relationKind === 'prerequisite').map((edge) => `${edge.sourceAtomId}>${edge.targetAtomId}`);
    return needs.includes(`${id('Continuity')}>${id('Derivatives')}`) && !needs.includes(`${id('Derivatives')}>${id('Continuity')}`);
  }, 'continuity before derivatives');

  // A session of three steps.
  await report.getByRole('link', { name: 'Go to today' }).click();
  await page.getByRole('button', { name: 'Steps', exact: true }).click();
  await page.getByRole('spinbutton', { name: 'Number of steps' }).fill('3');
  await page.getByRole('button', { name: 'Update plan' }).click();
  await page.getByText(/^3 steps, about/).waitFor();
  await page.getByText('Not enough', { exact: false }).first().waitFor();
  await page.getByText('Why this?').first().click();
  await page.getByText(/is new(, and you know all of its prerequisites|\. Nothing says whether you know what it needs)\./).first().waitFor();
  await axe(page, 'plan');

  const start = page.getByRole('button', { name: 'Start' });
  await start.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Step 1 of 3').waitFor();
  // What is new is read first, and hidden when the question comes.
  await page.locator('.run blockquote').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Your answer' }).count(), 0);
  await axe(page, 'read');
  await question(page);
  assert.equal(await page.locator('.run blockquote').count(), 0);
  await axe(page, 'ask');
  const first = await answer(page, 'A collection of distinct things, its elements.', '1');
  await page.getByText('Step 2 of 3').waitFor();

  // A reload in the middle: the step, what was typed and what was judged are there.
  await question(page);
  await page.getByRole('textbox', { name: 'Your answer' }).fill('half an answer');
  await page.reload();
  await page.getByText('Step 2 of 3').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Your answer' }).inputValue(), 'half an answer');
  await question(page);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'How did you do?' }).waitFor();
  await axe(page, 'check');
  await page.keyboard.press('3');
  await page.getByText('Step 3 of 3').waitFor();

  // The network goes before the end: nothing is lost, and sending again counts once.
  let cut = true;
  await page.route('**/api/knowledge/session/execute', async (route) => {
    if (!cut) return route.continue();
    cut = false;
    // The server has it, the answer does not arrive.
    await route.fetch();
    return route.abort();
  });
  page.expected.push('/api/knowledge/session/execute');
  await answer(page, 'I do not know', '4');
  await page.getByRole('heading', { name: 'Your session is not sent yet' }).waitFor();
  await axe(page, 'unsent');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('heading', { name: 'Session recorded' }).waitFor();
  const { records } = await history(page);
  assert.equal(records.length, 1, 'sent twice, counted once');
  assert.equal(records[0].executedCount, 2);
  await page.getByRole('row', { name: new RegExp(first) }).first().waitFor();
  await page.getByRole('heading', { name: 'Worth asking again' }).waitFor();
  await axe(page, 'result');

  // The result stays over a reload; what was wrong is asked again.
  await page.reload();
  await page.getByRole('heading', { name: 'Session recorded' }).waitFor();
  await page.getByRole('button', { name: 'Ask these again now' }).click();
  const steps = Number(/of (\d+)/.exec(await page.getByText(/^Step 1 of/).innerText())[1]);
  for (let step = 0; step < steps; step++) {
    await page.getByText(`Step ${step + 1} of`).waitFor();
    await answer(page, 'now I know', '1');
  }
  await page.getByRole('heading', { name: 'Session recorded' }).waitFor();
  const kinds = (await history(page)).records.map((record) => record.executionKind);
  assert.deepEqual(kinds, ['retest', 'session']);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Start' }).waitFor();

  await page.getByRole('link', { name: 'Progress' }).click();
  await page.getByRole('heading', { name: 'Estimated recall today' }).waitFor();
  await page.getByRole('figure').filter({ hasText: 'Change of mastery per session' }).getByRole('listitem').first().waitFor();
  await page.getByText('Too few sessions').waitFor();
  await axe(page, 'progress');

  await page.getByRole('link', { name: 'Strategy' }).click();
  await page.getByRole('heading', { name: 'How the strategy is chosen' }).waitFor();
  await axe(page, 'strategy');
  await page.getByRole('checkbox', { name: /^Choose by my results/ }).uncheck();
  await page.getByText('Saved.').waitFor();
  const config = await data(await page.request.get('/api/knowledge/session/orchestration/config'));
  assert.equal(config.strategyAutoPathEnabled, false);
  await page.getByRole('checkbox', { name: /^Choose by my results/ }).check();
  await eventually(async () => (await data(await page.request.get('/api/knowledge/session/orchestration/config'))).strategyAutoPathEnabled, 'the switch');
});

test('the map is walked by keys, a concept opens beside it, and the list says the same', async () => {
  const page = await learner('/learn?view=map');
  const node = (title) => page.getByRole('button', { name: new RegExp(`^${title}: `) });
  await node('Limits').waitFor();
  assert.equal(await page.locator('.node').count(), 8);
  await axe(page, 'map');
  const box = async (title) => (await node(title).boundingBox()).x;
  assert.ok((await box('Sets')) < (await box('Functions')) && (await box('Functions')) < (await box('Sequences')) && (await box('Sequences')) < (await box('Limits')));

  await page.locator('.node[tabindex="0"]').focus();
  await page.keyboard.press('ArrowRight');
  const there = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), there);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary').getByRole('heading', { name: 'Prerequisites' }).waitFor();
  assert.match(page.url(), /concept=atm_/);

  const before = await page.locator('svg').filter({ has: page.locator('.node') }).getAttribute('width');
  await page.locator('.node[tabindex="0"]').focus();
  await page.keyboard.press('+');
  await eventually(async () => (await page.locator('svg').filter({ has: page.locator('.node') }).getAttribute('width')) !== before, 'a nearer map');
  await page.keyboard.press('0');

  await node('Limits').click();
  const panel = page.getByRole('complementary', { name: 'Limits' });
  await panel.getByRole('button', { name: 'Sequences' }).first().waitFor();
  await axe(page, 'concept');
  assert.match(await panel.getByRole('link', { name: 'Read the note' }).getAttribute('href'), /view=note&note=/);

  // A relation put right, and left to Stoa again.
  await panel.getByRole('button', { name: 'Fix the relation with “Series”' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /^Neither/ }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await panel.getByText('Nothing builds on it yet.').or(panel.getByText('Derivatives')).first().waitFor();
  await eventually(async () => (await panel.getByRole('button', { name: /“Series”/ }).count()) === 0, 'series gone from limits');

  await page.getByRole('button', { name: 'List', exact: true }).click();
  assert.equal(await page.locator('.groups li button').count(), 8);
  await axe(page, 'list');

  await page.getByRole('combobox', { name: 'Find a concept' }).fill('tangent slope');
  await page.getByRole('option', { name: /Derivatives/ }).click();
  await page.getByRole('complementary', { name: 'Derivatives' }).waitFor();
  await page.getByRole('link', { name: 'Study around this' }).click();
  await page.getByText('Around: Derivatives').waitFor();
});

test('notes are listed, dropped again without change, and taken out', async () => {
  const page = await learner('/learn?view=notes');
  await page.getByText('notes/basics/sets.md').waitFor();
  await axe(page, 'notes');
  const transfer = await page.evaluateHandle((files) => {
    const all = new DataTransfer();
    for (const { sourcePath, content } of files) all.items.add(new File([content], sourcePath.split('/').at(-1)));
    all.items.add(new File([new Uint8Array([255, 254, 0])], 'spoilt.md'));
    all.items.add(new File(['x'], 'picture.png'));
    return all;
  }, [{ sourcePath: 'extra.md', content: '# Metric spaces\n\nRequires [[sets]].\n\nA metric gives distances.' }]);
  for (const kind of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('.zone', kind, { dataTransfer: transfer });
  const report = page.getByRole('region', { name: 'Notes imported' });
  await report.getByText('1 new or changed').waitFor();
  await report.getByText('spoilt.md: not UTF-8 text').waitFor();
  await report.getByText('1 other file was skipped.').waitFor();
  await page.getByRole('button', { name: 'Remove “Metric spaces”' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('“Metric spaces” was removed.').waitFor();
  await eventually(async () => (await page.getByText('extra.md').count()) === 0, 'the note gone');
});

test('the settings of a vault come with its folder and are no notes', async () => {
  const vault = mkdtempSync(join(tmpdir(), 'stoa-vault-'));
  const put = (path, text) => {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  };
  put('.obsidian/templates.json', '{"folder": "Muster"}');
  put('.obsidian/app.json', '{}');
  put('Muster/book.md', 'A bookbinder sews the pages of a book on one side, and puts a cover around them.');
  put('Kilns.md', 'A kiln is an oven that burns clay until it is hard.');
  const page = await learner('/learn?view=notes');
  await page.locator('.zone input[type=file]').first().setInputFiles(vault);
  const report = page.getByRole('region', { name: 'Notes imported' });
  await report.getByText('2 new or changed').waitFor();
  await report.getByText('1 other file was skipped.').waitFor();
  const left = (await (await page.request.get('/api/knowledge/left-out?limit=100')).json()).data.items;
  assert.deepEqual(left.filter(({ sourcePath }) => sourcePath.includes(basename(vault))).map(({ sourcePath, reason }) => [sourcePath.split('/').slice(1).join('/'), reason]), [['Muster/book.md', 'template']]);
  const deleted = ['.obsidian/templates.json', 'Muster/book.md', 'Kilns.md'].map((path) => ({ sourcePath: `${basename(vault)}/${path}` }));
  await page.request.post('/api/knowledge/ingest', { data: { deletedDocuments: deleted } });
  rmSync(vault, { recursive: true });
});

test('when the network goes while notes are on their way, they wait, and can be given up', async () => {
  const page = await learner('/learn?view=notes');
  page.expected.push('/api/knowledge/ingest');
  const keys = [];
  let cut = 1;
  await page.route('**/api/knowledge/ingest', (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    return cut-- > 0 ? route.abort() : route.continue();
  });
  const choose = () => page.locator('.zone input[type=file]').first().setInputFiles(folder);
  await choose();
  const held = page.getByRole('region', { name: 'Paused' });
  await held.getByText('0 of 8 notes').waitFor();
  await axe(page, 'held up');
  await held.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('region', { name: 'Notes imported' }).getByText('0 new or changed').waitFor();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1], 'the same batch again');
  cut = 1;
  await choose();
  await held.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('region', { name: 'Cancelled; notes already imported are kept' }).waitFor();
});

test('on a phone, in the dark and in Japanese', async () => {
  const page = await learner('/learn', { width: 'narrow', theme: 'dark', locale: 'ja-JP' });
  await page.getByRole('heading', { name: '今日の学習', level: 1 }).waitFor();
  await page.getByRole('button', { name: '始める' }).waitFor();
  await axe(page, 'plan');
  for (const [link, heading] of [['マップ', '概念マップ'], ['ノート', 'あなたのノート'], ['進捗', '進捗'], ['方針', '学習方針']]) {
    await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await settled(page);
    await axe(page, heading);
  }
  await page.goto('/learn?view=map');
  await settled(page);
  await page.locator('.groups li button').first().click();
  await page.getByRole('dialog').getByRole('heading', { name: '前提' }).waitFor();
  await axe(page, 'concept');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'マップ', exact: true }).click();
  await page.locator('.node').first().waitFor();
  await axe(page, 'map');

  await page.goto('/learn');
  await settled(page);
  await page.getByRole('button', { name: '始める' }).click();
  await question(page);
  await page.locator('.run textarea').fill('要素の集まり');
  await axe(page, 'ask');
  await page.getByRole('button', { name: '答えを表示' }).click();
  await page.locator('.grades button').first().waitFor();
  await axe(page, 'check');
  await page.getByRole('button', { name: '終了' }).click();
  await page.getByRole('dialog').getByRole('button', { name: '破棄' }).click();
  await page.getByRole('button', { name: '始める' }).waitFor();
});

test('nobody sees it without signing in', async () => {
  const page = await stage.open('/learn');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await stage.signIn(page);
  await page.getByRole('button', { name: 'Start' }).waitFor();
});

test('a vault that is too large to be shown whole says so, and shows any concept with what is around it', async () => {
  const page = await learner('/learn');
  const documents = Array.from({ length: 600 }, (_, n) => ({ sourcePath: `vault/c${n}.md`, content: `# Concept ${n}\n\n${n > 20 ? `Requires [[c${Math.floor(n / 3)}]].` : ''}\n\nA text about thing${n}, long enough to be learned: a line of a few words is left out.` }));
  await page.request.post('/api/knowledge/ingest', { data: { documents } });
  await page.goto('/learn?view=map');
  await page.getByText(/^400 of 60\d concepts are shown/).waitFor();
  assert.equal(await page.locator('.node').count(), 400);
  await page.getByRole('combobox', { name: 'Find a concept' }).fill('thing577');
  await page.getByRole('listbox').getByRole('option', { name: /^Concept 577/ }).click();
  const panel = page.getByRole('complementary', { name: 'Concept 577' });
  await panel.getByRole('button', { name: /^Concept 192/ }).waitFor();
  await page.getByText(/around the selected one/).waitFor();
  await page.getByRole('button', { name: 'Show the default view' }).click();
  await eventually(async () => (await page.locator('.node').count()) === 400, 'the usual part');
  const graph = await (await page.request.get('/api/knowledge/graph')).json();
  await page.request.post('/api/knowledge/mastery/diagnose', { data: { observations: [{ atomId: graph.data.nodes[0].atomId, outcome: 'correct' }] } });
  await page.goto('/learn?view=progress');
  await page.getByText(/^Based on 400 of/).waitFor();
  await page.getByRole('link', { name: 'Notes' }).click();
  await page.getByRole('button', { name: 'Show more' }).click();
  // Only the rows about the window are in the page: the last of them is beyond the first page at the end of the list.
  const last = () =>
    page.evaluate(() => {
      scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
      return Math.max(0, ...[...document.querySelectorAll('main [aria-posinset]')].map((row) => Number(row.getAttribute('aria-posinset'))));
    });
  await eventually(async () => (await last()) > 50, 'the next page of notes');
});
