import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite, target } from './lib/suite.mjs';

const stage = suite(undefined, { fresh: true });

test('the sign-in link signs in once and leaves the address', async () => {
  const { server } = stage;
  const page = await stage.open(server.signInLink);
  await page.getByText(`Signed in as ${server.userId}.`).waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await page.getByText('Nothing installed yet').waitFor();
  const kept = await page.evaluate(() => ({ ...localStorage, ...sessionStorage, cookie: document.cookie }));
  assert.deepEqual(kept, { cookie: '', 'stoa.here': `member ${server.userId}` }, 'scripts hold no token, only who was here');

  const second = await stage.open(server.signInLink);
  second.expected.push('/api/login');
  await second.getByText('This sign-in link has already been used or has expired.').waitFor();
  assert.equal(new URL(second.url()).hash, '');
});

test('a wrong password is said, and too many make a pause', async () => {
  const page = await stage.open('/market');
  page.expected.push('/api/login');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[name=username]').fill('somebody-else');
  await dialog.locator('input[name=password]').fill('not the password');
  const submit = dialog.locator('form .button.primary');
  await submit.click();
  await dialog.getByText('Wrong user ID or password.').waitFor();
  for (let tries = 0; tries < 12 && (await submit.isEnabled()); tries++) {
    const [reply] = await Promise.all([page.waitForResponse('**/api/login'), submit.click()]);
    await reply.finished();
    await eventually(async () => (await dialog.getByRole('alert').count()) === 1, 'the answer');
  }
  await dialog.getByText('Too many attempts.').waitFor();
  assert.match(await submit.innerText(), /Try again in (0|1):\d\d/);
  assert.ok(await submit.isDisabled());
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a session that has ended is taken up again without a reload', async () => {
  const page = await stage.open(`/market?item=${encodeURIComponent(target.id)}`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // What the sign-in asks for is to be answered before the session ends.
  const mine = page.waitForResponse('**/api/member/installations?*');
  await stage.signIn(page);
  await mine;
  await page.getByRole('button', { name: 'Show the full prompt' }).waitFor();
  page.expected.push('/api/templates/prompt');

  // The session ends elsewhere; this page does not know yet.
  const [cookie] = await page.context().cookies();
  assert.ok(cookie.httpOnly);
  assert.equal(cookie.sameSite, 'Strict');
  const ended = await fetch(`${stage.server.base}/api/logout`, { method: 'POST', headers: { Cookie: `${cookie.name}=${cookie.value}`, 'Content-Type': 'application/json' }, body: '{}' });
  assert.ok(ended.ok);

  await page.getByRole('button', { name: 'Show the full prompt' }).click();
  await page.getByText('Your session has ended.').waitFor();
  await stage.signIn(page);
  await page.getByRole('button', { name: 'Copy prompt' }).waitFor();

  await page.getByRole('button', { name: 'Account and settings' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('Signed out.').waitFor();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
});

test('what the sign-in asks for again does not come over what was asked for since', async () => {
  const page = await stage.open(`/market?item=${encodeURIComponent(target.id)}`);
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  let answer;
  const late = new Promise((done) => (answer = done));
  const answered = [];
  const hold = (path, change) =>
    page.route(path, async (route) => {
      const reply = await route.fetch();
      const body = await reply.json();
      change(body.data);
      await late;
      answered.push(page.waitForResponse(path));
      await route.fulfill({ response: reply, json: body });
    });
  await hold('**/api/templates/detail?*', (item) => (item.title = 'Come again'));

  await page.getByRole('button', { name: 'Sign in to read the full prompt' }).click();
  await stage.signIn(page);
  await page.getByRole('button', { name: 'Copy prompt' }).waitFor();

  answer();
  await page.getByRole('heading', { level: 1, name: 'Come again' }).waitFor();
  await eventually(() => answered.length >= 1, 'the late answer');
  for (const reply of answered) await (await reply).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.ok(await page.getByRole('button', { name: 'Copy prompt' }).isVisible(), 'the prompt is still there');
});

test('the member console asks for the sign-in it needs', async () => {
  const page = await stage.open('/member');
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  const migrate = page.getByRole('button', { name: 'Import local bot configuration' });
  assert.equal(await migrate.getAttribute('aria-disabled'), 'false');
  await migrate.click();
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the member console has no way to a reviewer, administrator or developer place', async () => {
  const page = await stage.open(stage.server.base + '/member');
  const scripts = [];
  page.on('request', (request) => request.url().endsWith('.js') && scripts.push(request.url()));
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  // The parts that come later count too.
  for (const view of ['upload', 'submissions']) {
    await page.goto(`/member?view=${view}`);
    await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  }
  const first = await Promise.all(scripts.map(async (url) => (await fetch(url)).text()));
  const later = new Set(first.flatMap((code) => [...code.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map((match) => `${stage.server.base}/assets/${match[1]}`)));
  assert.ok([...later].some((url) => url.includes('UploadCenter')));
  scripts.push(...later);
  const said = [await page.content(), ...(await Promise.all(scripts.map(async (url) => (await fetch(url)).text())))].join('\n');
  assert.ok(scripts.length > 1);
  for (const trace of [/\/admin/i, /\/reviewer/i, /developer[-_ ]?mode/i, /full[-_ ]?console/i]) assert.doesNotMatch(said, trace);
  const links = await page.locator('header a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.deepEqual(links, ['/member', '/market']);
});
