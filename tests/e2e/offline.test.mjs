import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, signInAs } from './lib/incident.mjs';
import { notes, question } from './lib/school.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A phone loses its network in the middle of a session: it goes on, survives a closed tab, and is sent once.

const stage = suite(undefined, { small: true });
const data = async (reply) => (await reply.json()).data;

async function learner(options) {
  const page = await stage.open('about:blank', { width: 'narrow', serviceWorkers: 'allow', ...options });
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: notes() } });
  await page.goto('/learn');
  await settled(page);
  return page;
}

/** Away from the network, or back. What fails meanwhile is expected. */
async function network(page, there) {
  if (!there) page.expected.push('/');
  await page.context().setOffline(!there);
}

async function grade(page) {
  await question(page);
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await page.getByRole('heading', { name: 'How did you do?' }).waitFor();
  await page.locator('.run blockquote').waitFor();
  await page.locator('.grades .button').first().click();
}

const sessions = async (page) => (await data(await page.request.get('/api/knowledge/session/history'))).page.totalFilteredRecords;

test('signing out removes what a session keeps of the notes', async () => {
  const page = await learner();
  await eventually(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Ready to use without a network').waitFor();
  assert.ok(await page.evaluate(() => caches.has('stoa-session')));
  await page.evaluate(() => localStorage.removeItem('stoa.learn.run'));
  await page.getByRole('button', { name: 'Account and settings' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('Signed out.').waitFor();
  assert.equal(await page.evaluate(() => caches.has('stoa-session')), false);
});

test('whoever comes after sees nothing of what a session keeps, with a network or without', async () => {
  const page = await learner();
  await eventually(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Ready to use without a network').waitFor();
  assert.ok(await page.evaluate(() => localStorage.getItem('stoa.learn.run')));
  // The session ends at the server, as after a new password elsewhere, and somebody else signs in with this browser.
  const context = page.context();
  await page.goto('about:blank');
  await context.clearCookies();
  addMember(stage.server, 'ben');
  await signInAs(page, stage.server, 'ben');
  await page.goto('/learn');
  await settled(page);
  const left = await page.evaluate(async () => ({
    answers: (await (await caches.open('stoa-session')).keys()).map(({ url }) => new URL(url).pathname),
    run: localStorage.getItem('stoa.learn.run'),
  }));
  assert.deepEqual(left, { answers: [], run: null });
  await network(page, false);
  await page.goto('/learn').catch(() => undefined);
  const shown = await page.evaluate(() => fetch('/api/ui/capabilities?page_mode=member').then((reply) => reply.text(), () => 'no answer'));
  assert.equal(shown, 'no answer');
});

test('a session that was begun goes on without a network, in another tab too, and counts once', async () => {
  let page = await learner();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await eventually(() => page.evaluate(async () => navigator.serviceWorker.controller !== null && (await (await caches.open('stoa-files')).keys()).length > 5), 'the files are kept');
  const before = await sessions(page);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Ready to use without a network').waitFor();
  const steps = Number(/of (\d+)/.exec(await page.getByText(/^Step 1 of/).innerText())[1]);
  assert.ok(steps >= 2, `${steps} steps`);

  await network(page, false);
  await page.getByText('No network. Go on:').waitFor();
  await grade(page);
  await page.getByText(`Step 2 of ${steps}`).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  // The system ends the tab; another comes up from what is kept.
  const context = page.context();
  const tab = await context.newPage();
  await page.close();
  page = tab;
  await page.goto('/learn');
  await page.getByRole('heading', { name: 'Unfinished session' }).waitFor();
  await page.getByText(`1 of ${steps} steps`).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  for (let step = 2; step <= steps; step++) {
    await page.getByText(`Step ${step} of ${steps}`).waitFor();
    await grade(page);
  }
  await page.getByRole('heading', { name: 'Your session is not sent yet' }).waitFor();

  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Your session is not sent yet' }).waitFor({ state: 'detached' });
  await eventually(async () => (await sessions(page)) === before + 1, 'the session is recorded');
  await eventually(() => page.evaluate(async () => localStorage.getItem('stoa.learn.run') === null && !(await caches.has('stoa-session'))), 'nothing of it is left on the device');
  await page.reload();
  await settled(page);
  assert.equal(await sessions(page), before + 1);
});
