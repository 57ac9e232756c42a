import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, alignment, operator, signInAs } from './lib/incident.mjs';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// How the school watches itself, as its operator sees it: a new school, an incident from the conflict to the pass, a server
// that fails. Each test has a school of its own.

const stage = suite(undefined, { small: true });
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function school(userId, options) {
  const page = await stage.open('about:blank', options);
  if (userId) {
    addMember(stage.server, userId);
    await signInAs(page, stage.server, userId);
  } else {
    await signIn(page, stage.server);
  }
  return { page, own: operator(page) };
}

async function show(page, query = '') {
  await page.goto(`/runtime${query}`);
  await settled(page);
}

/** In the theme of the page; access-dark.test.mjs looks at the other one. */
async function axe(page, where) {
  await page.evaluate(() => scrollTo(0, 0));
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(rules).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `${where}: ${overflow} px wider than the window`);
}

/** One of the five answers at the top. */
const answer = (page, question) => page.locator('.glance dl > div').filter({ has: page.locator('dt', { hasText: question }) }).locator('dd');
const overall = (page) => page.locator('.glance').getAttribute('data-overall');

test('a new school is told kindly that it is too early to tell', async () => {
  const { page, own } = await school();
  await show(page);
  await page.getByRole('heading', { name: 'No problems found' }).waitFor();
  assert.equal((await own.get('/api/knowledge/runtime-capability-matrix')).overallStatus, 'degraded');
  assert.equal(await overall(page), 'early');
  await page.getByText('That is normal for a new installation').waitFor();
  assert.equal(await page.locator('[data-group="fail"], [data-group="warn"]').count(), 0, 'nothing alarms');
  await page.getByText('No check has been run this week, so there are no actions.').waitFor();
  await axe(page, 'new');
  await page.locator('[data-group="waiting"] > summary').click();
  await page.getByText('Not enough data yet, or not in use.').first().waitFor();
  const rows = page.locator('article[data-status]');
  assert.equal(await rows.count(), (await own.get('/api/knowledge/runtime-capability-matrix')).checks.length, 'every check is there');

  await page.getByRole('link', { name: 'Quality' }).click();
  await page.getByText('Not enough snapshots to compare.').waitFor();
  await page.getByText('There is no baseline yet.').waitFor();
  await page.getByText('No sessions yet.').first().waitFor();
  await settled(page);
});

test('an incident from the conflict to the pass', async () => {
  const { page, own } = await school('ada');
  await own.prepare();
  await own.breakIt();
  assert.equal((await own.check()).status, 'fail');
  await show(page);

  // What is wrong, how sure, what to do: seen, and not verified yet.
  assert.equal(await overall(page), 'blocked');
  await page.getByRole('heading', { name: /^Sessions with a strategy chosen by trend change mastery by -\d+(\.\d{1,2})? points on average, and 100% of 3 got worse\.$/ }).waitFor();
  assert.match(await answer(page, 'Problem').innerText(), /chosen by trend deliver less/);
  assert.match(await answer(page, 'Confidence').innerText(), /^Seen, not confirmed/);
  const row = page.locator(`article[data-check="${alignment}"][data-status]`);
  // Its name in commands is with what the server says, and nowhere else.
  assert.ok(!(await page.locator('main').innerText()).includes(alignment), 'a raw identifier is shown');
  await row.getByText('Server message').click();
  await row.getByText(`Name in commands and the API: ${alignment}`).waitFor();
  await row.getByText('Server message').click();
  assert.equal(await row.getAttribute('data-status'), 'fail');
  assert.match(await row.innerText(), /Chosen by trend\s+3/);
  assert.match(await row.innerText(), /Sessions that got worse\s+100%\s*warns from 40% on, fails from 60% on/);

  // Two verifications from the page, by key; each is kept once.
  const verify = page.getByRole('button', { name: 'Run check now' });
  await verify.focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^Check run: “Strategies .*” fail$/).waitFor();
  await eventually(async () => /^Confirmed once/.test(await answer(page, 'Confidence').innerText()), 'one verification');
  await verify.click();
  await eventually(async () => /^Persistent\s+2 check runs/.test(await answer(page, 'Confidence').innerText()), 'two verifications');
  assert.match(await answer(page, 'Since').innerText(), /^(now|\d+ seconds? ago)\s+.*\s+2 check runs in a row$/);
  assert.match(await answer(page, 'Problem').innerText(), /Critical\s+Look here first, because: strategies chosen by trend lowered mastery/);
  await eventually(async () => (await page.getByRole('listitem', { name: /: .*fail/i }).count()) === 2, 'both results in the plot');
  assert.equal((await own.verdicts()).length, 2);

  // The queue: the first card with its request, by the server's order; filters.
  const cards = page.locator('article[data-action]');
  await page.locator('article[data-action="mitigate_immediately"]').waitFor();
  assert.equal(await cards.first().getAttribute('data-action'), 'mitigate_immediately');
  assert.match(await cards.first().innerText(), /^P0\s+now.*Do this now, then run the check again\./s);
  // What only the API needs is behind a summary: nobody reads a check's id who did not ask for the request.
  assert.doesNotMatch(await page.locator('main').innerText(), /orchestration_path_strategy_alignment/);
  await cards.first().getByText('API request').click();
  assert.match(await cards.first().innerText(), /GET \/api\/knowledge\/runtime-capability-runbook\/verify\?checkId=orchestration_path_strategy_alignment/);
  const review = page.locator('article[data-action="review_strategy_alignment_outcomes"]');
  const path = '/api/knowledge/session/history?userId=ada&pathStrategySelectionSource=strategy_trend&sinceMinutes=10080';
  assert.match(await review.getByRole('link', { name: /^See the result/ }).getAttribute('href'), /^\/api\/knowledge\/session\/history\?userId=ada/);
  await review.getByRole('button', { name: 'Copy as curl' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `curl -H "Authorization: Bearer $STOA_TOKEN" '${stage.server.base}${path}'`);
  assert.equal(await review.getByRole('link', { name: /^Open the response/ }).getAttribute('href'), path);
  assert.ok((await page.request.get(path)).ok());
  await page.getByRole('button', { name: 'P1', exact: true }).click();
  await eventually(async () => /^P1\b/.test(await cards.first().innerText()), 'only P1');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await review.waitFor();
  // The rest of what can be done is with the check, each with its request.
  await row.getByText(/^All \d steps for this check/).click();
  const tighten = row.locator('[data-step="tighten_strategy_auto_path_confidence"]');
  await tighten.getByText('API request').click();
  assert.match(await tighten.innerText(), /POST \/api\/knowledge\/session\/orchestration\/config\s+\{\s+"strategyMinConfidence": 0\.68\s+\}/);
  await axe(page, 'incident');

  // Something is done about it, and that is told.
  await own.post('/api/knowledge/session/orchestration/config', { strategyMinConfidence: 0.9 });
  await review.getByRole('button', { name: 'Record' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record a fix' });
  assert.equal(await dialog.getByRole('combobox').getAttribute('data-value'), alignment);
  await axe(page, 'record');
  await dialog.getByLabel('Reason, in a few words').fill('confidence raised');
  await dialog.getByLabel('What you did').fill('strategyMinConfidence is 0.9 now.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const event = page.locator('[data-remedy="applied"]');
  await event.getByText('Not checked since').waitFor();
  const [told] = await own.events();
  assert.deepEqual([told.source, told.status, told.checkId, told.triggerReason, told.detail], ['operator', 'applied', alignment, 'confidence raised', 'strategyMinConfidence is 0.9 now.']);
  assert.match(await answer(page, 'Result of the last fix').innerText(), /^Not checked since\s+Applied/);

  // Eight sessions later it passes; the page sees that when somebody looks, and the verification says that it helped.
  await own.mendIt();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await eventually(async () => (await overall(page)) === 'early', 'what passes leaves the headline');
  await page.locator('[data-group="pass"] > summary').click();
  await row.getByRole('button', { name: /^Run check/ }).click();
  await page.getByText(/^Check run: “Strategies .*” pass$/).waitFor();
  await event.getByText('Fixed').waitFor();
  await eventually(async () => (await overall(page)) === 'early', 'calm');
  assert.match(await answer(page, 'Result of the last fix').innerText(), /^Fixed\s+Applied.*fail → pass/s);
  await page.getByText('Nothing is urgent.').waitFor();
});

test('quality: a baseline is set, compared and cleared; strategies come with intervals', async () => {
  const { page, own } = await school('bob');
  await own.prepare();
  for (const minutesAgo of [50, 40, 30]) await own.study('correct', { minutesAgo, source: 'explicit_request', strategy: 'balanced' });
  await show(page, '?view=quality');
  await page.getByRole('button', { name: 'Set baseline' }).click();
  await page.getByText('Baseline set.').waitFor();
  assert.equal((await own.get('/api/knowledge/quality/baseline')).snapshot.retestPassRatePct, 100);
  for (const minutesAgo of [20, 10]) await own.study('incorrect', { minutesAgo, source: 'explicit_request', strategy: 'balanced' });
  await page.getByRole('button', { name: 'Compare again' }).click();
  const gate = page.locator('[data-gate="retest_pass_rate_uplift"]');
  await eventually(async () => /fail\s+100%\s+60%\s*36% to 80%\s+-40% \(≥ 0%\)\s+15/.test(await gate.innerText()), 'the fall, with its samples');
  const { evaluation } = await own.post('/api/knowledge/quality/baseline/evaluate', {});
  const passed = evaluation.gates.filter((one) => one.passed).length;
  await page.getByText(`${passed} of 12 criteria pass.`).waitFor();
  assert.match(await page.locator('[data-gate="query_evidence_coverage"]').innerText(), /pass(es)?\s+100%\s+100%.*\d$/s);

  const balanced = page.locator('[data-strategy="balanced"]');
  await eventually(async () => /5 sessions/.test(await balanced.innerText()), 'five sessions');
  const mean = (await own.get('/api/knowledge/session/history?pathStrategy=balanced')).summary.pathStrategyOutcomeByStrategy[0].averageMasteryDeltaPct;
  const [, shown, low, high] = /([+-]?[\d.]+) points between ([+-]?[\d.]+) and ([+-]?[\d.]+)/.exec((await balanced.innerText()).replaceAll(' ', ' ')).map(Number);
  assert.ok(Math.abs(shown - mean) <= 0.051, `${shown} is ${mean}`);
  assert.ok(low < shown && shown < high);
  await page.getByRole('figure').getByRole('listitem').nth(4).waitFor();
  await page.getByRole('figure').getByRole('listitem').last().focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /: 75%$/);
  await axe(page, 'quality');

  await page.getByRole('button', { name: 'Create snapshot' }).click();
  await page.getByText('Snapshot created.').waitFor();
  assert.equal((await own.get('/api/knowledge/quality/history')).records[0].source, 'manual_snapshot');
  await page.getByRole('button', { name: 'Clear the baseline' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Clear the baseline' }).click();
  await page.getByText('There is no baseline yet.').waitFor();
  assert.equal((await own.get('/api/knowledge/quality/baseline')).found, false);
});

test('a request is found by its id, and answer times are drawn', async () => {
  const { page, own } = await school('cleo');
  for (let n = 0; n < 24; n++) await own.get('/api/knowledge/state');
  await page.request.post('/api/knowledge/query', { data: { query: 7 }, headers: { 'X-Request-Id': 'the-one-that-was-refused' } });
  await show(page, '?view=requests');
  await page.getByRole('textbox', { name: 'Request ID' }).fill('the-one-that-was-refused');
  await page.keyboard.press('Enter');
  await page.getByText('Newest 1 of 1 matching').waitFor();
  const row = page.getByRole('row', { name: /the-one-that-was-refused/ });
  assert.match(await row.innerText(), /POST \/api\/knowledge\/query\s+422 invalid_request/);
  assert.match(page.url(), /request=the-one-that-was-refused/);
  await page.getByRole('figure').getByRole('listitem', { name: /p50 .* ms, p95 .* ms$/ }).nth(1).waitFor();
  await page.getByText('Slowest endpoints').waitFor();
  await axe(page, 'requests');
  await page.getByRole('textbox', { name: 'Request ID' }).fill('no-such-request');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('You have no request with this ID.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).first().click();
  await page.getByRole('button', { name: 'Errors (4xx and 5xx)' }).click();
  await row.waitFor();
});

test('a server that fails: tried again by the rules, then the gate warns and what matters most is verified', async () => {
  const { page, own } = await school('dora');
  await own.prepare();
  await own.breakIt();
  await own.verify();
  await own.verify();
  await show(page);
  page.expected.push('/api/knowledge/runtime-capability-matrix');
  const look = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

  // Refused for the moment: asked again with the same id, and the answer is taken.
  const ids = [];
  await page.route('**/api/knowledge/runtime-capability-matrix', (route) => {
    ids.push(route.request().headers()['x-request-id']);
    return ids.length % 2 ? route.fulfill({ status: 503, body: '{}' }) : route.continue();
  });
  await look();
  await eventually(() => ids.length === 2, 'a second attempt');
  assert.equal(ids[0], ids[1], 'the same request id');
  await settled(page);
  assert.equal(await page.getByRole('alert').count(), 0);

  // It fails for good: each refresh is degraded, and the third closes the gate.
  await page.unroute('**/api/knowledge/runtime-capability-matrix');
  const failed = { status: 500, headers: { 'X-Request-Id': 'to-be-quoted' }, json: { ok: false, message: '', data: {}, error: { code: 'internal_error', message: '' } } };
  let asked = 0;
  await page.route('**/api/knowledge/runtime-capability-matrix', (route) => {
    asked++;
    return route.fulfill(failed);
  });
  const alert = page.getByRole('main').getByRole('alert');
  for (let n = 1; n <= 3; n++) {
    await look();
    await eventually(() => asked === n, `refresh ${n}, once`);
    if (n < 3) await alert.getByText('to-be-quoted').waitFor();
  }
  await alert.getByText('The last 3 refreshes in a row failed').waitFor();
  await alert.getByText(/^The data shown is from/).waitFor();
  await alert.getByText('The most important check was run automatically: Strategies').waitFor();
  assert.equal((await own.verdicts()).length, 3);
  await eventually(async () => (await own.events()).length === 1, 'the attempt is told');
  await look();
  await alert.getByText(/Next try in 1[12]\d s at the earliest/).waitFor();
  await eventually(async () => (await own.events()).length === 2, 'that it was skipped is told');
  const events = await own.events();
  assert.deepEqual(events.map(({ status, degradedStreakCount, source }) => [status, degradedStreakCount, source]), [['cooldown', 4, 'learning_workbench_refresh'], ['applied', 3, 'learning_workbench_refresh']]);
  assert.match(events[0].triggerReason, /^cooldown_active:1[12]\ds$/);
  assert.equal(events[1].checkId, alignment);

  await page.unroute('**/api/knowledge/runtime-capability-matrix');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  await page.getByText('Skipped: too soon').waitFor();
});

test('nobody sees it without signing in, and it asks nothing behind other tabs', async () => {
  const page = await stage.open('/runtime');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await stage.signIn(page);
  await page.getByRole('heading', { name: 'Recommended actions' }).waitFor();
  await settled(page);
  // Half a minute passes faster here, and its beats are counted.
  await page.addInitScript(() => {
    const real = window.setInterval;
    window.beats = 0;
    window.setInterval = (run, ms) => real(ms === 30_000 ? () => (window.beats++, run()) : run, ms === 30_000 ? 300 : ms);
  });
  let asked = 0;
  page.on('request', (request) => (asked += Number(request.url().includes('/runtime-capability-matrix'))));
  await page.reload();
  await eventually(() => asked >= 3, 'it looks again by itself');
  await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }));
  await settled(page);
  const before = asked;
  const beats = await page.evaluate(() => window.beats);
  await page.waitForFunction((since) => window.beats >= since + 4, beats);
  assert.equal(asked, before);
  await page.evaluate(() => {
    delete document.visibilityState;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await eventually(() => asked > before, 'a look when it comes to the front');
});

test('on a phone, in the dark and in Japanese', async () => {
  const { page, own } = await school('emi', { width: 'narrow', theme: 'dark', locale: 'ja-JP' });
  await own.prepare();
  await own.breakIt();
  await own.verify();
  await own.record({ status: 'error', triggerReason: 'auto_focus_error', source: 'learning_workbench_refresh' });
  await show(page);
  await page.getByRole('heading', { name: /^傾向で方針を選んだ学習では、習熟度の変化が平均 -\d+(\.\d{1,2})? ポイントで、3 回のうち 100% で低下しました。$/ }).waitFor();
  await page.getByText(/^不合格のチェックがあります · /).waitFor();
  await page.getByText('クライアントによる自動記録', { exact: false }).waitFor();
  for (const group of ['waiting', 'pass']) await page.locator(`[data-group="${group}"] > summary`).click();
  const said = await page.locator('article[data-status] h3, article[data-action] h3').allInnerTexts();
  assert.ok(said.length > 34);
  assert.deepEqual(said.filter((text) => !/[ぁ-んァ-ヶ一-龠]/.test(text)), [], 'every check and action has Japanese words');
  assert.deepEqual((await page.locator('article[data-status] dt').allInnerTexts()).filter((text) => /^[a-z0-9_]+$/.test(text)), [], 'every figure has a name');
  await page.locator('[data-group="pass"] > summary').click();
  await axe(page, '様子');
  for (const [link, heading] of [['品質', '学習の品質'], ['リクエスト', 'リクエスト']]) {
    await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await settled(page);
    await axe(page, heading);
  }
});
