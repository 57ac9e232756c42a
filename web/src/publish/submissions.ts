import { api, unwrap } from '../lib/api';
import { asApiError } from '../lib/errors';
import type { Slice } from '../lib/pager.svelte';
import { session } from '../lib/session.svelte';
import type { Kind, Submission, SubmissionThread } from '../lib/types';

export const statuses = ['pending', 'approved', 'rejected', 'withdrawn', 'replaced'] as const;
export type Status = (typeof statuses)[number];

const pageSize = 25;
const readOperation: Record<Kind, string> = { template: 'member.submissions.read', profile_pack: 'member.profile_pack.submissions.read' };
export const withdrawOperation: Record<Kind, string> = { template: 'member.submissions.withdraw', profile_pack: 'member.profile_pack.submissions.withdraw' };

export const readableKinds = (): Kind[] => (['template', 'profile_pack'] as const).filter((kind) => session.can(readOperation[kind]));

export const itemIdOf = (submission: Submission): string => ('pack_id' in submission ? submission.pack_id : submission.template_id);

async function pageOf(kind: Kind, status: string, cursor: string): Promise<{ submissions: Submission[]; next_cursor: string }> {
  const query = { status: status || undefined, limit: pageSize, cursor: cursor || undefined };
  return kind === 'template'
    ? unwrap(api.GET('/api/member/submissions', { params: { query } }))
    : unwrap(api.GET('/api/member/profile-pack/submissions', { params: { query } }));
}

/** A page of one kind or of both together, newest first. The cursor holds where each of them stands. */
export async function fetchSubmissions(kinds: readonly Kind[], status: string, cursor: string): Promise<Slice<Submission>> {
  const at = cursor ? (JSON.parse(cursor) as Partial<Record<Kind, string>>) : undefined;
  const open = kinds.filter((kind) => !at || at[kind]);
  const pages = await Promise.all(open.map((kind) => pageOf(kind, status, at?.[kind] ?? '')));
  const next = Object.fromEntries(open.map((kind, index) => [kind, pages[index]!.next_cursor]).filter(([, cursor]) => cursor));
  const items = pages.flatMap((page) => page.submissions).sort((a, b) => b.created_at.localeCompare(a.created_at));
  return { items, cursor: Object.keys(next).length > 0 ? JSON.stringify(next) : '' };
}

export async function fetchSubmission(kind: Kind, submission_id: string): Promise<Submission> {
  const params = { query: { submission_id } };
  return kind === 'template'
    ? unwrap(api.GET('/api/member/submissions/detail', { params }))
    : unwrap(api.GET('/api/member/profile-pack/submissions/detail', { params }));
}

/** What was said about a submission; nothing for somebody who may not read it. */
export async function fetchThread(submission_id: string): Promise<SubmissionThread | undefined> {
  if (!session.can('member.submissions.thread.read')) return undefined;
  return unwrap(api.GET('/api/member/submissions/thread', { params: { query: { submission_id } } }));
}

export async function sendMessage(submission_id: string, text: string): Promise<SubmissionThread | undefined> {
  return session.run<SubmissionThread>('member.submissions.thread.write', () => unwrap(api.POST('/api/member/submissions/thread', { body: { submission_id, text } })));
}

export async function withdraw(kind: Kind, submission_id: string): Promise<Submission | undefined> {
  const body = { submission_id };
  return session.run<Submission>(withdrawOperation[kind], () =>
    kind === 'template' ? unwrap(api.POST('/api/member/submissions/withdraw', { body })) : unwrap(api.POST('/api/member/profile-pack/submissions/withdraw', { body })),
  );
}

/** The versions of an own item that stand, the latest first, and those that were taken out; null when all of it is. */
export type Listing = { stand: string[]; out: string[] } | null;

/** What the catalog has of an item that was approved. */
export async function listingOf(kind: Kind, id: string): Promise<Listing> {
  try {
    const { versions, withdrawn_versions: out = [] } =
      kind === 'template'
        ? await unwrap(api.GET('/api/templates/detail', { params: { query: { template_id: id } } }))
        : await unwrap(api.GET('/api/profile-pack/catalog/detail', { params: { query: { pack_id: id } } }));
    return { stand: versions.map(({ version }) => version), out: out.map(({ version }) => version) };
  } catch (error) {
    if (asApiError(error).status === 404) return null;
    throw error;
  }
}

/** Takes an own item, or with a version only that one, out of the catalog, or puts it back; undefined without a session. */
export async function setWithdrawn(kind: Kind, item_id: string, version: string, withdrawn: boolean, note: string): Promise<Listing | undefined> {
  const done = await session.run('member.items.withdraw', () => unwrap(api.POST('/api/member/items/withdraw', { body: { kind, item_id, version, withdrawn, note } })));
  const all = done?.withdrawn && !done.withdrawn_versions.some((one) => one.version === version); // also by the last version that stood
  return done && (all ? null : listingOf(kind, item_id));
}

export interface Step {
  name: 'received' | 'scanned' | 'review' | 'decided';
  state: 'done' | 'now' | 'todo' | 'off' | 'refused';
  words: string;
  at?: string;
}

/** Where a submission stands, as the four steps everybody's goes through. Words are keys of messages. */
export function timelineOf(submission: Submission): Step[] {
  const { status } = submission;
  const pending = status === 'pending';
  const scanning = submission.review_labels.includes('scan_pending');
  const incomplete = submission.scan_summary.status === 'incomplete' && !scanning;
  const findings = submission.scan_summary.risk_evidence.length;
  return [
    { name: 'received', state: 'done', words: 'received', at: submission.created_at },
    { name: 'scanned', state: scanning ? (pending ? 'now' : 'off') : 'done', words: scanning ? 'scanning' : incomplete ? 'scanIncomplete' : findings > 0 ? 'scannedFindings' : 'scanned' },
    { name: 'review', state: pending ? (scanning ? 'todo' : 'now') : status === 'approved' || status === 'rejected' ? 'done' : 'off', words: pending ? 'inReview' : status === 'approved' || status === 'rejected' ? 'reviewed' : 'notReviewed' },
    { name: 'decided', state: pending ? 'todo' : status === 'rejected' ? 'refused' : status === 'withdrawn' ? 'off' : 'done', words: pending ? 'undecided' : status, at: pending ? undefined : submission.updated_at },
  ];
}
