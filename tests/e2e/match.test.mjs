import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';
import { settled, signIn } from './lib/views.mjs';

// Two lists are matched by choosing, not by typing.

const stage = suite(undefined, { small: true });
const note = `# Virtual machines

| Feature | Virtual machine | Container |
|---|---|---|
| Isolation | a kernel of its own below a hypervisor | the kernel of the host is shared by all |
| Start | takes tens of seconds to minutes | takes less than a second |
| Size of an image | several gigabytes, with the system | megabytes, with the application alone |
`;

for (const [width, wrong] of [['wide', false], ['narrow', true]]) {
  test(`the columns of a table are matched with its rows, ${wrong ? 'and wrongly' : 'rightly'}: ${width}`, async () => {
    const page = await stage.open('about:blank', { width });
    await signIn(page, stage.server);
    await page.request.post('/api/knowledge/ingest', { data: { documents: [{ sourcePath: 'it/Virtual machines.md', content: note }] } });
    const { data } = await (await page.request.get('/api/knowledge/graph')).json();
    const concept = data.nodes.find((node) => node.title.includes('Virtual machines'));
    await page.goto(`/learn?concept=${concept.atomId}`);
    await settled(page);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('.run .read:enabled').click();
    const right = (await page.locator('.run .question').innerText()).includes('Container')
      ? { Isolation: 'the kernel of the host is shared by all', Start: 'takes less than a second', 'Size of an image': 'megabytes, with the application alone' }
      : { Isolation: 'a kernel of its own below a hypervisor', Start: 'takes tens of seconds to minutes', 'Size of an image': 'several gigabytes, with the system' };
    const answers = Object.values(right);
    for (const [index, left] of Object.keys(right).entries()) {
      await page.getByRole('group', { name: 'Your answer' }).getByLabel(left).click();
      await page.getByRole('option', { name: answers[wrong ? (index + 1) % 3 : index] }).click();
    }
    await check(page, 'chosen');
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await page.locator('.judged').getByText(wrong ? 'That is not the expected answer.' : 'Correct.').waitFor();
    assert.equal(await page.locator('.yours li').first().innerText(), `Isolation – ${answers[wrong ? 1 : 0]}`);
    assert.ok((await page.locator('.expected').innerText()).includes(`Start – ${right.Start}`));
    await check(page, 'shown');
  });
}
