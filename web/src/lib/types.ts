import type { components } from './api.gen';

type Schemas = components['schemas'];

export type Template = Schemas['Template'];
export type TemplateDetail = Schemas['TemplateDetail'];
export type Pack = Schemas['Pack'];
export type PackDetail = Schemas['PackDetail'];
export type Facets = Schemas['Facets'];
export type FacetValue = Schemas['FacetValue'];
export type Insights = Schemas['Insights'];
export type MarketActivity = Schemas['MarketActivity'];
export type Reach = Schemas['Reach'];
export type Version = Schemas['Version'];
export type WithdrawnVersion = Schemas['WithdrawnVersion'];
export type ScanSummary = Schemas['ScanSummary'];
export type ScanEvidence = Schemas['ScanEvidence'];
export type ItemPage = Schemas['ItemPage'];
export type Rating = Schemas['Rating'];
export type RatingList = Schemas['RatingList'];
export type TrialReport = Schemas['TrialReport'];
export type TrialPersonas = Schemas['TrialPersonas'];
export type InstallOptions = Schemas['InstallOptions'];
export type InstallResult = Schemas['InstallResult'];
export type Installation = Schemas['Installation'];
export type Task = Schemas['Task'];
export type Notification = Schemas['Notification'];
export type MemberQuotas = Schemas['MemberQuotas'];
export type QuotaUse = Schemas['QuotaUse'];
export type Preferences = Schemas['Preferences'];
export type OwnAccount = Schemas['OwnAccount'];
export type APIToken = Schemas['APIToken'];
export type TrustedPublisher = Schemas['TrustedPublisher'];
export type TrustedPublishers = Schemas['TrustedPublishers'];
export type NotificationChoices = Schemas['NotificationChoices'];
export type ReminderCalendar = Schemas['ReminderCalendar'];
export type Passkey = Schemas['Passkey'];
export type OwnSessions = Schemas['OwnSessions'];
export type AuthInfo = Schemas['AuthInfo'];
export type Capabilities = Schemas['Capabilities'];
export type ImportDraft = Schemas['ImportDraft'];
export type DraftChoices = Schemas['DraftChoices'];
export type TemplateDraft = Schemas['TemplateDraft'];
export type TemplateDraftRow = TemplateDraftList['drafts'][number];
type TemplateDraftList = Schemas['TemplateDraftList'];
export type ImportListing = Schemas['ImportListing'];
export type ImportSummary = Schemas['ImportSummary'];
export type FieldDiagnostic = Schemas['FieldDiagnostic'];
export type PackPreview = Schemas['PackPreview'];
export type LeaveReport = Schemas['LeaveReport'];
export type LeaveMarks = Schemas['LeaveMarks'];
export type RedactionMode = Schemas['RedactionMode'];
export type SubmitOptions = Schemas['SubmitOptions'];
export type UploadOptions = Schemas['UploadOptions'];
export type TemplateSubmission = Schemas['TemplateSubmission'];
export type PackSubmission = Schemas['PackSubmission'];
export type Submission = TemplateSubmission | PackSubmission;
export type Removal = Schemas['Removal'];
export type SubmissionCheck = Schemas['SubmissionCheck'];
export type SubmissionThread = Schemas['SubmissionThread'];
export type TransferJob = Schemas['TransferJob'];
export type Comparison = Schemas['Comparison'];
export type SectionDiff = Schemas['SectionDiff'];
export type RiskLevel = Schemas['RiskLevel'];
export type SourcePreference = Schemas['SourcePreference'];

export type Kind = 'template' | 'profile_pack';

/** What a card or a detail page shows, whichever of the two kinds it is. */
export type Item = ({ kind: 'template' } & Template) | ({ kind: 'profile_pack' } & Pack);
export type ItemDetail = ({ kind: 'template' } & TemplateDetail) | ({ kind: 'profile_pack' } & PackDetail);

export function itemId(item: Item): string {
  return item.kind === 'template' ? item.template_id : item.pack_id;
}
