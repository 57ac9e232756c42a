package operate

import (
	"stoa/internal/app/core"
)

// quotaSettings are what one member may keep and do. -1 is no bound; the defaults are those of the application.
type quotaSettings struct {
	Enforce        string  `help:"Whether quotas hold: on, or off for none." default:"on" enum:"on,off" env:"ENFORCE" json:"enforce"`
	Drafts         int64   `name:"drafts" help:"Drafts that a member may have; -1 for no bound." default:"100" env:"DRAFTS" json:"drafts" placeholder:"N"`
	DraftBytes     int64   `name:"draft-bytes" help:"Bytes of the drafts that a member may have; -1 for no bound." default:"536870912" env:"DRAFT_BYTES" json:"draft_bytes" placeholder:"N"`
	Pending        int64   `name:"pending-submissions" help:"Submissions of a member that may wait for review; -1 for no bound." default:"1000" env:"PENDING_SUBMISSIONS" json:"pending_submissions" placeholder:"N"`
	PackageBytes   int64   `name:"package-bytes" help:"Bytes of the packages in a member's submissions; -1 for no bound." default:"1073741824" env:"PACKAGE_BYTES" json:"package_bytes" placeholder:"N"`
	Notes          int64   `name:"notes" help:"Notes that a member may have; -1 for no bound." default:"20000" env:"NOTES" json:"notes" placeholder:"N"`
	NoteBytes      int64   `name:"note-bytes" help:"Bytes of a member's notes; -1 for no bound." default:"67108864" env:"NOTE_BYTES" json:"note_bytes" placeholder:"N"`
	NoteSections   int64   `name:"note-sections" help:"Sections, formulas and pieces of code in a member's notes; -1 for no bound." default:"50000" env:"NOTE_SECTIONS" json:"note_sections" placeholder:"N"`
	Sessions       int64   `name:"sessions" help:"Sign-ins of a member at a time; the oldest make room; -1 for no bound." default:"50" env:"SESSIONS" json:"sessions" placeholder:"N"`
	Ratings        int64   `name:"ratings" help:"Ratings that a member may write or change per day; -1 for no bound." default:"200" env:"RATINGS" json:"ratings" placeholder:"N"`
	Imports        int64   `name:"imports" help:"Imports of a member per day; -1 for no bound." default:"300" env:"IMPORTS" json:"imports" placeholder:"N"`
	Submissions    int64   `name:"submissions" help:"Submissions of a member per day; -1 for no bound." default:"2000" env:"SUBMISSIONS" json:"submissions" placeholder:"N"`
	Installs       int64   `name:"installs" help:"Installations of a member per day, forced ones included; -1 for no bound." default:"1000" env:"INSTALLS" json:"installs" placeholder:"N"`
	StudySessions  int64   `name:"study-sessions" help:"Study sessions of a member per day; -1 for no bound." default:"500" env:"STUDY_SESSIONS" json:"study_sessions" placeholder:"N"`
	Observations   int64   `name:"observations" help:"Observations that a member may record per day; -1 for no bound." default:"10000" env:"OBSERVATIONS" json:"observations" placeholder:"N"`
	TutorReplies   int64   `name:"tutor-replies" help:"Replies of the tutor to a member per day; -1 for no bound." default:"2000" env:"TUTOR_REPLIES" json:"tutor_replies" placeholder:"N"`
	ModelCalls     int64   `name:"model-calls" help:"Calls of a language model for a member per day; after that the rule engine replies; -1 for no bound." default:"300" env:"MODEL_CALLS" json:"model_calls" placeholder:"N"`
	EmbedderCalls  int64   `name:"embedder-calls" help:"Calls of the embedder for a member per day; after that passages are found by their words; -1 for no bound." default:"3000" env:"EMBEDDER_CALLS" json:"embedder_calls" placeholder:"N"`
	TrialMessages  int64   `name:"trial-messages" help:"Answers of the operator's model in trials, for a member per day; -1 for no bound." default:"100" env:"TRIAL_MESSAGES" json:"trial_messages" placeholder:"N"`
	TrialRelays    int64   `name:"trial-relays" help:"Questions of trials that are handed on to a member's own model server, per day; -1 for no bound." default:"500" env:"TRIAL_RELAYS" json:"trial_relays" placeholder:"N"`
	Snapshots      int64   `name:"quality-snapshots" help:"Quality snapshots of a member per day; -1 for no bound." default:"500" env:"QUALITY_SNAPSHOTS" json:"quality_snapshots" placeholder:"N"`
	PlanChecks     int64   `name:"plan-checks" help:"Plans that a member may have judged and kept per day; -1 for no bound." default:"1000" env:"PLAN_CHECKS" json:"plan_checks" placeholder:"N"`
	Verifications  int64   `name:"verifications" help:"Verifications of a member per day; -1 for no bound." default:"2000" env:"VERIFICATIONS" json:"verifications" placeholder:"N"`
	Remediations   int64   `name:"remediations" help:"Remediation events of a member per day; -1 for no bound." default:"1000" env:"REMEDIATIONS" json:"remediations" placeholder:"N"`
	Writes         int64   `name:"writes" help:"Transactions that a member may write per hour on a node; -1 for no bound." default:"3600" env:"WRITES" json:"writes" placeholder:"N"`
	WriteBytes     int64   `name:"write-bytes" help:"Bytes that a member may write per day on a node; -1 for no bound." default:"536870912" env:"WRITE_BYTES" json:"write_bytes" placeholder:"N"`
	ModelCallPrice float64 `help:"What one call of a language model costs, shown to members with their calls." default:"0" env:"MODEL_CALL_PRICE" json:"model_call_price" placeholder:"PRICE"`
}

// quotas returns the limits by kind.
func (q *quotaSettings) quotas() core.Quotas {
	limits := core.Quotas{
		core.QuotaDrafts:        q.Drafts,
		core.QuotaDraftBytes:    q.DraftBytes,
		core.QuotaPending:       q.Pending,
		core.QuotaPackageBytes:  q.PackageBytes,
		core.QuotaNotes:         q.Notes,
		core.QuotaNoteBytes:     q.NoteBytes,
		core.QuotaNoteSections:  q.NoteSections,
		core.QuotaSessions:      q.Sessions,
		core.QuotaRatings:       q.Ratings,
		core.QuotaImports:       q.Imports,
		core.QuotaSubmissions:   q.Submissions,
		core.QuotaInstalls:      q.Installs,
		core.QuotaStudySessions: q.StudySessions,
		core.QuotaObservations:  q.Observations,
		core.QuotaTutorReplies:  q.TutorReplies,
		core.QuotaModelCalls:    q.ModelCalls,
		core.QuotaEmbedderCalls: q.EmbedderCalls,
		core.QuotaTrialMessages: q.TrialMessages,
		core.QuotaTrialRelays:   q.TrialRelays,
		core.QuotaSnapshots:     q.Snapshots,
		core.QuotaPlanChecks:    q.PlanChecks,
		core.QuotaVerifications: q.Verifications,
		core.QuotaRemediations:  q.Remediations,
		core.QuotaWrites:        q.Writes,
		core.QuotaWriteBytes:    q.WriteBytes,
	}
	if q.Enforce == "off" {
		for kind := range limits {
			limits[kind] = core.NoQuota
		}
	}
	return limits
}
