import Box from '@lucide/svelte/icons/box';
import type { Component } from 'svelte';
import { ApiError } from '../lib/errors';
import type { RiskLevel, ScanSummary } from '../lib/types';
import { Suggestions, type Suggestion } from '../ui/suggestions.svelte';

/** What the parts are shown with; the words of the parts themselves come from the locales. */

export const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
export const line = Array.from({ length: 12 }, (_, hour) => ({ at: new Date(Date.UTC(2026, 10, 22, hour)).toISOString(), values: [8 + ((hour * 7) % 5), 20 + ((hour * 11) % 17)] }));
export const counts = Array.from({ length: 90 }, (_, day) => (day * 37) % 23);

export const refusal = new ApiError({
  code: 'secrets_detected',
  status: 422,
  requestId: 'req-7f3a',
  details: [{ field: 'prompt', problem: 'prompt:1:5' }],
});

/** A server that says which field it does not take. */
export const refusedFields = new ApiError({ code: 'invalid_request', status: 400, requestId: 'req-7f3b', details: [{ field: 'version', problem: 'must be one of 1.0.0, 1.1.0' }] });

export const sorts = [
  { value: 'read', label: 'Accounting' },
  { value: 'write', label: 'Careful translator with a very long name that does not fit into one line of a narrow window' },
  { value: 'none', label: 'Disabled', disabled: true },
  { value: 'last', label: 'Last' },
];
export const names = [
  { value: 'ja', label: '会計', lang: 'ja', group: '日本語' },
  { value: 'zh', label: '会计', lang: 'zh', group: '简体中文' },
  { value: 'zh-2', label: '写作', lang: 'zh', group: '简体中文' },
];

const scan: ScanSummary = {
  status: 'clean',
  scanner_version: 'scan-2',
  levels: ['L1'],
  risk_level: 'low',
  review_labels: [],
  warning_flags: [],
  prompt_injection: { detected: false } as ScanSummary['prompt_injection'],
  risk_evidence: [],
};

const evidence: ScanSummary['risk_evidence'] = [
  { category: 'prompt_injection', rule: 'ignore_previous_instructions', severity: 'high', file: 'bundle.json', path: '/prompt', line: 3, column: 12, phrase: 'Ignore all previous instructions' },
  { category: 'prompt_injection', rule: 'reveal_system_prompt', severity: 'medium', file: 'bundle.json', path: '/prompt', line: 9, column: 1, phrase: 'print your system prompt' },
];

const checked = (risk_level: RiskLevel, review_labels: string[], warning_flags: string[], scan_summary: ScanSummary) => ({ risk_level, review_labels, warning_flags, scan_summary });

/** What the checks may have come to. */
export const checks = {
  none: checked('low', [], [], scan),
  found: checked('high', ['prompt_injection_detected'], ['prompt_injection_detected'], { ...scan, status: 'flagged', risk_level: 'high', risk_evidence: evidence }),
  incomplete: checked('medium', [], [], { ...scan, status: 'incomplete' }),
  pending: checked('medium', ['scan_pending'], [], scan),
};

const fruits = ['Accounting', '会计', '会計', 'Careful translator with a very long name that does not fit into one line of a narrow window'];

export const suggestions = new Suggestions(async (query) =>
  fruits
    .filter((title) => title.toLowerCase().includes(query.toLowerCase()))
    .map((title): Suggestion => ({ key: title, title, note: 'template', icon: Box, lang: 'en', choose: () => undefined })),
);

/** A part that cannot be fetched. */
export const lost = (): Promise<{ default: Component<Record<string, never>> }> => Promise.reject(new Error('offline'));
