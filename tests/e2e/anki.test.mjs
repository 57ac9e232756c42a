import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A learner with an Anki deck: in by the page, its pictures in the session, out again.

const stage = suite(undefined, { small: true });
const deck = resolve(dirname(fileURLToPath(import.meta.url)), '../../internal/httpapi/testdata/anki/anki-apkg-export-4.0.3.apkg');

test('an Anki deck comes in, is asked with its picture, and goes out', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.goto('/learn?view=notes');
  await settled(page);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(deck);
  await page.getByText('3 cards in 2 decks, 0 reviews, 0 suspended').waitFor();

  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const flag = data.nodes.find((node) => node.title === 'Whose flag is this?');
  assert.ok(flag, JSON.stringify(data.nodes.map((node) => node.title)));
  await page.goto(`/learn?concept=${flag.atomId}`);
  await settled(page);
  await page.getByRole('button', { name: 'Start' }).click();
  const picture = page.locator('.run img').first();
  const asked = await page.locator('.run progress').getAttribute('max');
  let shown = false;
  for (let step = 0; step < Number(asked) && !shown; step++) {
    // A question is asked for after the session is there: only then can it be said whether it has a picture.
    await page.locator(`.run progress[value="${step}"]`).waitFor();
    await page.locator('.run .question, .run .passages > *').first().waitFor();
    shown = (await picture.count()) > 0;
    if (shown) break;
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await page.keyboard.press('1');
  }
  assert.ok(shown, `none of ${asked} questions has the picture of its card`);
  await eventually(() => picture.evaluate((img) => img.naturalWidth > 0), 'the picture of the card');

  await page.goto('/learn?view=notes');
  await settled(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export for Anki' }).click();
  const file = readFileSync(await (await download).path());
  assert.equal(file.subarray(0, 2).toString(), 'PK');
});

test('a card is graded on the keys of Anki, and its grade is taken back after it was sent', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.goto('/learn?view=notes');
  await settled(page);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(deck);
  await page.getByText('3 cards in 2 decks').waitFor();
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  const france = data.nodes.find((node) => /France/.test(node.title));
  const log = async () => (await (await page.request.get('/api/knowledge/session/history')).json()).data.page.totalFilteredRecords;
  const answers = async () => (await (await page.request.get('/api/knowledge/session/history')).json()).data.summary.totalExecutedActions;
  const [before, answered] = [await log(), await answers()];
  await page.goto(`/learn?concept=${france.atomId}`);
  await settled(page);
  await page.getByRole('button', { name: 'Start' }).click();
  const steps = Number(await page.locator('.run progress').getAttribute('max'));
  await page.getByText(/\d+ due and \d+ new to go/).waitFor();
  for (let step = 0; step < steps; step++) {
    await page.locator(`.run progress[value="${step}"]`).waitFor();
    await page.getByText('press Space to show it').waitFor();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Easy' }).waitFor();
    await page.keyboard.press(step === steps - 1 ? '1' : ' '); // Again, and Good
  }
  await page.getByRole('heading', { name: 'Session recorded' }).or(page.locator('section h2')).first().waitFor();
  await page.getByRole('button', { name: 'Undo last grade' }).waitFor();
  assert.equal(await log(), before + 1);
  await page.getByText('Wrong: 1').waitFor();
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Hard' }).waitFor();
  // The other grades count as before, and can be taken back too.
  if (steps > 1) await page.getByRole('button', { name: 'Undo last grade' }).waitFor();
  await page.locator('.run progress[value="0"]').waitFor();
  assert.equal(await log(), before + (steps > 1 ? 1 : 0));
  assert.equal(await answers(), answered + steps - 1);
  await page.keyboard.press('Control+z');
  if (steps > 1) await page.locator('.run progress[max="2"][value="0"]').waitFor();
  await page.getByRole('button', { name: 'Easy' }).waitFor();
  await page.keyboard.press('4');
  if (steps > 1) {
    await page.getByText('press Space to show it').waitFor();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Easy' }).waitFor();
    await page.keyboard.press('4');
  }
  await page.getByText(`Right: ${Math.min(2, steps)}`).waitFor();
  await eventually(async () => (await answers()) === answered + steps, 'all grades are recorded');
});
