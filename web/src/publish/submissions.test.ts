import { expect, test } from 'vitest';
import type { Submission } from '../lib/types';
import { timelineOf } from './submissions';

const submission = (status: string, more: object = {}) =>
  ({ status, created_at: 'C', updated_at: 'U', review_labels: [], scan_summary: { status: 'clean', risk_evidence: [] }, ...more }) as unknown as Submission;
const states = (one: Submission) => timelineOf(one).map((step) => `${step.words}:${step.state}`);

test.each([
  [submission('pending'), ['received:done', 'scanned:done', 'inReview:now', 'undecided:todo']],
  [submission('pending', { review_labels: ['scan_pending'], scan_summary: { status: 'incomplete', risk_evidence: [] } }), ['received:done', 'scanning:now', 'inReview:todo', 'undecided:todo']],
  [submission('approved'), ['received:done', 'scanned:done', 'reviewed:done', 'approved:done']],
  [submission('withdrawn'), ['received:done', 'scanned:done', 'notReviewed:off', 'withdrawn:off']],
  [submission('rejected', { scan_summary: { status: 'flagged', risk_evidence: [{}] } }), ['received:done', 'scannedFindings:done', 'reviewed:done', 'rejected:refused']],
])('%# where it stands', (one, expected) => expect(states(one)).toEqual(expected));
