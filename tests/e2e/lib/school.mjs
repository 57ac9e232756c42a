import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A folder of notes whose links say what needs what; two of them need each other. */
export const folder = resolve(import.meta.dirname, '../fixtures/notes');

/** The notes as they are sent when the folder is chosen. */
export function notes() {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ sourcePath: `notes/${name}`, content: readFileSync(join(folder, name), 'utf8') }));
}

/** Reads the note of an action that begins with it, and waits for the question: before that no answer is taken. */
export async function question(page) {
  const read = page.locator('.run .read:enabled');
  const answer = page.locator('.run form .primary:enabled');
  await read.or(answer).first().waitFor();
  if (await read.count()) await read.click();
  await answer.waitFor();
}

/** Sessions over the last weeks, so that there is a past to look at: the foundations first, with a mistake now and then. */
export function learned(nodes) {
  const order = [...nodes].sort((a, b) => a.level - b.level || a.title.localeCompare(b.title));
  const strategies = ['balanced', 'balanced', 'mastery_recovery', 'balanced', 'exploration_boost', 'balanced'];
  return strategies.map((pathStrategy, index) => {
    const some = order.slice(Math.max(0, index - 2), index + 1);
    const actions = some.map(({ atomId, title }) => ({ id: `quiz:${atomId}`, kind: 'quiz', atomId, title, estimatedMinutes: 5, source: 'mastery_path' }));
    const outcome = (place) => (place === 0 || (index + place) % 4 !== 0 ? 'correct' : 'incorrect');
    return {
      sessionPlan: { actions, summary: { pathStrategy } },
      outcomesByActionId: Object.fromEntries(actions.map(({ id }, place) => [id, outcome(place)])),
      executedAt: new Date(Date.now() - (16 - 3 * index) * 86_400_000).toISOString(),
    };
  });
}

/** A vault of mathematics: formulas, a picture, tables, callouts. */
export const maths = resolve(import.meta.dirname, '../fixtures/maths');

/** Brings the vault of mathematics in, as the page sends it, and gives the ids of its notes by title. */
export async function bringMaths(request) {
  const documents = ['Metric space.md', 'Limit.md'].map((name) => ({ sourcePath: `maths/${name}`, content: readFileSync(join(maths, name), 'utf8') }));
  await request.post('/api/knowledge/ingest', { data: { documents } });
  await request.post('/api/knowledge/media', { data: { sourcePath: 'maths/img/ball.png', content_base64: readFileSync(join(maths, 'img/ball.png')).toString('base64') } });
  return idsOf(request);
}

/** The ids of a member's notes, by title. */
export async function idsOf(request) {
  const { data } = await (await request.get('/api/knowledge/documents?limit=200')).json();
  return Object.fromEntries(data.documents.map(({ title, documentId }) => [title, documentId]));
}
