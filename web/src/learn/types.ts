import type { components } from '../lib/api.gen';

type Schemas = components['schemas'];

export type Graph = Schemas['KnowledgeGraph'];
export type Concept = Schemas['GraphNode'];
export type Relation = Schemas['GraphEdge'];
export type ConceptState = Concept['state'];
export type Cycle = Schemas['BrokenCycle'];
export type AnkiImport = Schemas['AnkiImport'];
export type ReviewsImport = Schemas['ReviewsImport'];
export type IngestResult = Schemas['IngestResult'];
export type Note = Schemas['KnowledgeDocument'];
export type Plan = Schemas['StudySession'];
export type Action = Schemas['LearningAction'];
export type Reason = Schemas['ActionReason'];
export type Change = Schemas['ActionChange'];
export type Orchestration = Schemas['Orchestration'];
export type Strategy = NonNullable<Schemas['SessionPlanRequest']['pathStrategy']>;
export type TutorReply = Schemas['TutorReply'];
export type TutorKind = NonNullable<Schemas['TutorActionRequest']['actionKind']>;
export type Execution = Schemas['SessionExecution'];
export type ExecuteRequest = Schemas['SessionExecuteRequest'];
export type History = Schemas['SessionHistory'];
export type SessionRecord = Schemas['ExecutionRecord'];
export type StrategyOutcome = Schemas['StrategyOutcome'];
export type Verdict = Schemas['CorrectRelationRequest']['verdict'];

export const strategies = ['balanced', 'mastery_recovery', 'exploration_boost'] as const satisfies Strategy[];
/** How many questions a placement has at most. */
export const mostPlaced = 15;
/** In the order in which they ask for attention. */
export const states = ['due', 'learning', 'ready', 'mastered', 'locked'] as const satisfies ConceptState[];
export type NoteView = Schemas['NoteView'];
export type LeftOut = Schemas['LeftOutList']['items'][number];
export type QuestionVersion = Schemas['QuestionVersions']['items'][number];
export type KeptQuestion = Schemas['KeptQuestion'];
export type SaveQuestion = Pick<Schemas['SaveQuestionRequest'], 'prompt' | 'accepted' | 'explanation' | 'state' | 'flag' | 'report' | 'restoreVersion' | 'keep'>;
export type RetentionCosts = Schemas['RetentionCosts'];
export type Proposed = Schemas['Proposals']['items'][number];
export type ProposalRun = Schemas['ProposalRun'];
export type ProposalEstimate = Schemas['ProposalEstimate'];
