import type { components } from '../lib/api.gen';

type Schemas = components['schemas'];

export type Matrix = Schemas['CapabilityMatrix'];
export type Check = Schemas['RuntimeCheck'];
export type Incident = Schemas['RuntimeIncident'];
export type Thresholds = Schemas['RuntimeThresholds'];
export type Status = Schemas['VerificationRecord']['status'];
export type Checks = Schemas['RunbookChecks'];
export type WatchedCheck = Schemas['WatchedCheck'];
export type QueueItem = Schemas['QueueItem'];
export type Priority = QueueItem['priority'];
export type Verdict = Schemas['VerificationRecord'];
export type Verification = Schemas['CapabilityVerification'];
export type Remedy = Schemas['RemediationRecord'];
export type RemedyEvent = Schemas['RemediationEventRequest'];
export type Baseline = Schemas['QualityBaseline'];
export type Evaluation = Schemas['QualityEvaluation'];
export type Gate = Schemas['QualityGate'];
export type Diagnostics = Schemas['QualityDiagnostics'];
export type Figures = Schemas['QualityFigures'];
export type QualityTrend = Schemas['QualityTrend'];
export type QualityHistory = Schemas['QualityHistory'];
export type StrategyTrend = Schemas['StrategyTrendRow'];
export type Session = Schemas['ExecutionRecord'];
export type RequestTrace = Schemas['RequestTrace'];
export type RequestRecord = Schemas['RequestRecord'];

export const remedyStatuses = ['applied', 'not_applied', 'cooldown', 'error', 'ignored'] as const;
export type RemedyStatus = (typeof remedyStatuses)[number];
