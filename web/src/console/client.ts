import type { Reach, SectionDiff, SubmissionThread } from '../lib/types';
import { ApiError, failureOf } from '../lib/errors';

export interface Me {
  user_id: string;
  roles: string[];
  confirmed_until: string;
  expires_at: string;
}
export interface Line {
  submission_id: string;
  kind: 'template' | 'profile_pack';
  item_id: string;
  version: string;
  user_id: string;
  status: string;
  risk_level: string;
  labels: string[];
  created_at: string;
  reviewer: string;
  review_note: string;
  unanswered: boolean;
}
export interface Claim {
  reviewer: string;
  claimed_at: string;
}
export interface Evidence {
  severity: string;
  rule: string;
  file: string;
  path: string;
  line: number;
  column: number;
  phrase: string;
}
export interface Part {
  /** The media type, when it is a picture. */
  picture?: string;
  name: string;
  size_bytes: number;
  binary: boolean;
  findings: number;
  hidden: string[];
  must_open: boolean;
  opened: boolean;
  shown: boolean;
  text?: string;
  hex?: string;
  next_offset?: number;
}
export interface Review extends Line {
  document: { change_note: string; maintainer: string; reach?: Reach; locales: Record<string, { title: string; description: string }> };
  scan_summary: { scanner_version: string; risk_evidence: Evidence[]; incomplete: { file: string; why: string }[] | null };
  beyond: string[];
  published_version: string;
  published_owner: string;
  diff: { against: string; metadata: { field: string; before: string; after: string }[] | null; texts: { name: string; diff: string[] }[] | null; sections?: { sections: SectionDiff[] } } | null;
  author_history: Record<string, number>;
  claim: Claim | null;
  returned: string[];
  thread: SubmissionThread;
  contents: { parts: Part[]; sha256: string; size_bytes: number };
}
export interface MemberLine {
  user_id: string;
  disabled: boolean;
  vouched: boolean;
  created_at: string;
  note?: string;
}
export interface Takedown {
  kind: string;
  item_id: string;
  asked_by: string;
  note: string;
  asked_at: string;
}
export interface ReportedRating {
  rating_id: string;
  user_id: string;
  item_id: string;
  stars: number;
  text: string;
  reported_by: string;
  reason: string;
  reported_at: string;
  reports: number;
}
export interface VerdictChanges {
  changes: {
    item_id: string;
    version: string;
    found_at: string;
    risk_before: string;
    risk_level: string;
    labels_added: string[];
    labels_removed: string[];
    flags_added: string[];
    flags_removed: string[];
    risk_evidence: Evidence[];
  }[];
  waiting: number;
  judged: number;
  versions: number;
}
export interface Act {
  id: string;
  at: string;
  actor: string;
  action: string;
  item_id: string;
  target: string;
}
export interface Service {
  health: { status: string; version: string; checks: Record<string, { ok: boolean; state: string; problem?: string }> };
  backup_at: string;
  jobs: { job: string; node: string; at: string; done: number; of: number }[];
  settings: { name: string; value: string; source: string }[];
  /** What is new in this version, in English. */
  news: string[];
}

/** Asks the console. Its routes are no part of the public contract, so their types are written here. */
export async function ask<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/console/api/${path}`, {
      method,
      credentials: 'same-origin',
      headers: method === 'POST' ? { 'Content-Type': 'application/json' } : {},
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
    });
  } catch {
    throw new ApiError({ code: 'network', status: 0 });
  }
  const reply: unknown = await response.json().catch(() => undefined);
  const data = (reply as { data?: T } | undefined)?.data;
  if (!response.ok || data === undefined) {
    const failure = failureOf(response, reply);
    if ((data as { confirm?: boolean } | undefined)?.confirm) throw new ApiError({ code: 'confirm', status: response.status, message: failure.message });
    throw failure;
  }
  return data;
}
