import AxeBuilder from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// A first session finds out what is known; how well to remember is chosen by what it costs.

const stage = suite(undefined, { small: true });
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const chain = Array.from({ length: 24 }, (_, i) => ({
  documentId: `step-${i}`,
  sourcePath: `steps/step-${i}.md`,
  content: `# Step ${i}\n\n${i > 0 ? `Requires [[step-${i - 1}]].\n\n` : ''}Step ${i} is what one learns as number ${i}, with words of its own.\n`,
}));

async function axe(page, where) {
  await page.evaluate(() => scrollTo(0, 0));
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(rules).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`), []);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0, `${where}: wider than the window`);
}

const shot = (page, name) => process.env.STOA_SHOTS && page.screenshot({ path: `${process.env.STOA_SHOTS}/${name}.png`, fullPage: true });

test('a first session is placed, and what follows is known', async () => {
  const page = await stage.open('about:blank');
  await signIn(page, stage.server);
  await page.request.post('/api/knowledge/ingest', { data: { documents: chain } });
  await page.goto('/learn');
  await settled(page);
  await page.getByRole('heading', { name: 'What do you know already?' }).waitFor();
  await axe(page, 'offer');
  await shot(page, 'placement-offer');
  await page.getByRole('region', { name: 'What do you know already?' }).getByRole('button', { name: 'Answer some questions' }).click();
  let asked = 0;
  for (; asked < 15; asked++) {
    const step = page.getByText(`Question ${asked + 1} of at most 15`);
    const ended = page.getByRole('heading', { name: 'Session finished' }).or(page.locator('.lead'));
    await step.or(ended).first().waitFor();
    if (!(await step.isVisible())) break;
    const field = page.getByRole('textbox', { name: 'Your answer' });
    await eventually(() => field.evaluate((one) => one === document.activeElement), 'the focus in the answer');
    await page.locator('.run form .primary:enabled').waitFor(); // the question is there
    await page.keyboard.type('what it says');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'How did you do?' }).waitFor();
    if (asked === 0) {
      await axe(page, 'question');
      await shot(page, 'placement-question');
    }
    await page.keyboard.press('1');
  }
  assert.ok(asked >= 2 && asked <= 15, `${asked} questions`);
  await page.locator('.lead').waitFor();
  await shot(page, 'placement-result');
  const { data } = await (await page.request.get('/api/knowledge/graph')).json();
  assert.ok(data.counts.implied > 0, JSON.stringify(data.counts));
  await page.goto('/learn');
  await settled(page);
  assert.equal(await page.getByRole('heading', { name: 'What do you know already?' }).count(), 0);
});

for (const [width, locale, title] of [['wide', 'en-US', 'How well do you want to remember?'], ['narrow', 'ja-JP', 'どのくらい覚えておきたいですか？']]) {
  test(`what recall costs: ${width}, ${locale}`, async () => {
    const page = await stage.open('about:blank', { width, locale, theme: width === 'narrow' ? 'dark' : 'light' });
    await signIn(page, stage.server);
    await page.goto('/learn?view=strategy');
    await settled(page);
    const part = page.getByRole('region', { name: title });
    await part.getByRole('radio').first().waitFor();
    assert.equal(await part.getByRole('radio').count(), 7);
    await part.getByRole('radio').nth(width === 'wide' ? 2 : 4).check();
    await eventually(async () => (await (await page.request.get('/api/knowledge/session/orchestration/config')).json()).data.studySettings.desiredRetention === (width === 'wide' ? 0.84 : 0.88), 'the choice');
    await axe(page, `recall ${locale}`);
    await shot(page, `recall-${locale}`);
  });
}
