import { learned, notes } from './school.mjs';

/** The incident of docs/runbook.md, through the API alone: strategies chosen by trend cost mastery, and then bring it. */

export const alignment = 'orchestration_path_strategy_alignment';
const runbook = '/api/knowledge/runtime-capability-runbook';

/** Another member of the server, so that one's incident is not another's; made once. */
export function addMember(server, userId) {
  server.members ??= {};
  server.members[userId] ??= /: (\S+)/.exec(server.run('member', 'add', userId))[1];
}

export async function signInAs(page, server, userId) {
  const reply = await page.request.post('/api/login', { data: { user_id: userId, password: server.members[userId] } });
  if (!reply.ok()) throw new Error(`login: ${reply.status()} ${await reply.text()}`);
}

/** Speaks for whoever has signed in on the page. */
export function operator(page) {
  const data = async (reply) => {
    if (!reply.ok()) throw new Error(`${reply.url()}: ${reply.status()} ${await reply.text()}`);
    return (await reply.json()).data;
  };
  const get = async (path) => data(await page.request.get(path));
  const post = async (path, body) => data(await page.request.post(path, { data: body }));

  let atoms;
  const own = {
    get,
    post,
    /** Notes to learn from, and an index over them. */
    prepare: async () => {
      await post('/api/knowledge/ingest', { documents: notes() });
      await post('/api/knowledge/query', { query: 'limits' });
      atoms = (await get('/api/knowledge/graph')).nodes.map((node) => node.atomId).sort();
    },
    /** A session with one outcome for every answer. */
    study: (outcome, { source = 'strategy_trend', strategy = 'exploration_boost', minutesAgo = 0, from = 0 } = {}) => {
      const some = atoms.slice(from, from + 3);
      return post('/api/knowledge/session/execute', {
        outcomesByAtomId: Object.fromEntries(some.map((id) => [id, outcome])),
        executedAt: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
        sessionPlan: {
          actions: some.map((atomId) => ({ atomId, kind: 'quiz', evidenceSpanIds: ['span'] })),
          summary: { pathStrategy: strategy },
          signals: { orchestration: { recommendedPathStrategy: strategy, pathStrategySelectionSource: source, pathStrategySelectionReason: 'a scripted incident' } },
        },
      });
    },
    /** Weeks of study before, and the quality that was reached then as the baseline. */
    past: async () => {
      for (const session of learned((await get('/api/knowledge/graph')).nodes)) await post('/api/knowledge/session/execute', session);
      await post('/api/knowledge/quality/baseline', {});
    },
    /** Three sessions that cost mastery. */
    breakIt: async () => {
      for (const minutesAgo of [90, 60, 30]) await own.study('incorrect', { minutesAgo });
    },
    /** Eight sessions that bring it. */
    mendIt: async () => {
      for (let n = 8; n > 0; n--) await own.study('correct', { minutesAgo: n });
    },
    verify: (checkId = alignment) => get(`${runbook}/verify?checkId=${checkId}`),
    record: (event) => post(`${runbook}/remediation-event`, { source: 'operator', checkId: alignment, ...event }),
    check: async (checkId = alignment) => (await get('/api/knowledge/runtime-capability-matrix')).checks.find((one) => one.checkId === checkId),
    events: async () => (await get(`${runbook}/history/remediation-events`)).records,
    verdicts: async (checkId = alignment) => (await get(`${runbook}/history?checkId=${checkId}`)).records,
  };
  return own;
}
