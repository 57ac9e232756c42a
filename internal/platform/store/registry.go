package store

import "slices"

// TableInfo says what is kept in a table and what is done with it. Every table of the schema has an entry in Registry;
// backup, erasure, export, the list of what fills the disk and the tests all read it.
type TableInfo struct {
	Name string
	// Owner is the column that names the member whose data a row holds; "" when rows belong to no one member.
	Owner string
	// Area groups tables for the list of what fills the disk.
	Area Area
	// Kept says how long rows are kept.
	Kept string
	// Bound says what bounds the rows that requests of members, or of nobody, add: quotas by their settings, a cap, or what there is
	// one row for.
	Bound string
	// Grows says why rows stay that members add at a rate alone, year after year: "" when there is an end to them.
	Grows string
	// Backup says that a backup has the rows; what has not can be computed from the rest.
	Backup bool
	// Erase and Export say that the rows go with a learner's data, and are handed out with it.
	Erase, Export bool
	// Outlives says that rows stay when their member's account is deleted; of all other tables with an owner they go.
	Outlives bool
	// Hidden are columns that not even the row's owner is given: what proves who somebody is, and keys.
	Hidden []string
	// Traffic marks rows that change with any request, refused ones too, or by background work.
	Traffic bool
}

// Area is a part of what the store holds.
type Area string

// The areas.
const (
	AreaAccounts    Area = "accounts and sessions"
	AreaCatalog     Area = "catalog"
	AreaSubmissions Area = "submissions"
	AreaDrafts      Area = "drafts"
	AreaMember      Area = "installations, trials and notifications"
	AreaNotes       Area = "notes"
	AreaLearners    Area = "learners"
	AreaIdempotency Area = "idempotency answers"
	AreaTraces      Area = "request traces"
	AreaAudit       Area = "audit log"
	AreaSearch      Area = "search index"
	AreaServer      Area = "the server's own"
)

// What Kept says of tables without a time of their own.
const (
	keptForever    = "until deleted"
	keptErased     = "until erased"
	keptGovernance = "governance-keep"
)

// boundServer is the Bound of tables to which only the server's own work and people in charge add rows.
const boundServer = "no request adds rows"

// What Grows says of more than one table.
const (
	grownHistory = "it is the learner's own history, from which what they know is computed again; they erase it themselves"
	grownRecord  = "it says who sent what and who decided; packages of closed submissions go after package-keep"
)

// Registry lists every table of the schema.
var Registry = []TableInfo{
	{Name: "account", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: "60 sign-ups an hour from an address, 600 in all", Grows: "an account is its member's until they delete it; the operator ends sign-up or disables accounts", Backup: true, Outlives: true, Hidden: []string{"password_hash", "likeness"}},
	{Name: "account_identity", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: "one of an identity elsewhere", Backup: true},
	{Name: "account_role", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: boundServer, Backup: true},
	{Name: "console_session", Owner: "user_id", Area: AreaAccounts, Kept: "until its end, at most 12 hours", Bound: boundServer, Backup: true, Hidden: []string{"token_hash"}},
	{Name: "session", Owner: "user_id", Area: AreaAccounts, Kept: "until its end, at most 30 days", Bound: "quota.sessions", Backup: true, Hidden: []string{"token_hash"}},
	{Name: "sign_in_link", Owner: "user_id", Area: AreaAccounts, Kept: "10 minutes", Bound: boundServer, Backup: true, Hidden: []string{"token_hash"}},
	{Name: "passkey", Owner: "user_id", Area: AreaAccounts, Kept: "until removed, or the account is shut", Bound: "20 of a member", Backup: true, Hidden: []string{"user_handle", "record"}},
	{Name: "passkey_attempt", Owner: "user_id", Area: AreaAccounts, Kept: "5 minutes", Bound: "a budget of attempts for each address or member", Backup: true, Traffic: true, Hidden: []string{"attempt_hash", "state"}},
	{Name: "api_token", Owner: "user_id", Area: AreaAccounts, Kept: "until its end, at most a year", Bound: "50 of a member", Backup: true, Hidden: []string{"token_hash"}},
	{Name: "trusted_publisher", Owner: "user_id", Area: AreaAccounts, Kept: "until removed, or the account is shut", Bound: "50 of a member", Backup: true},
	{Name: "exchanged_token", Area: AreaAccounts, Kept: "until the identity token would have ended, at most a day", Bound: "one for each run of a trusted pipeline, for a day", Backup: true, Traffic: true},
	{Name: "oauth_code", Owner: "user_id", Area: AreaAccounts, Kept: "a minute", Bound: "quota.writes for a minute", Backup: true, Hidden: []string{"code_hash", "challenge"}},
	{Name: "oauth_grant", Owner: "user_id", Area: AreaAccounts, Kept: "30 days after the last use", Bound: "the newest 50 of a member", Backup: true, Hidden: []string{"grant_hash", "refresh_hash"}},
	{Name: "identity_attempt", Area: AreaAccounts, Kept: "10 minutes", Bound: "requests of an address; gone after 10 minutes", Backup: true, Traffic: true},
	{Name: "sign_in_source", Owner: "user_id", Area: AreaAccounts, Kept: "90 days after the last sign-in from there", Bound: "one for each address of a sign-in, for 90 days", Backup: true},
	{Name: "login_throttle", Area: AreaAccounts, Kept: "until its window ends", Bound: "requests of an address; gone with the window", Backup: true, Traffic: true},
	{Name: "preference", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: "one of a member", Backup: true},
	{Name: "member_quota", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: boundServer, Backup: true, Erase: true, Export: true},
	{Name: "quota_use", Owner: "user_id", Area: AreaAccounts, Kept: "2 days", Bound: "one for each kind and day, for 2 days", Backup: true, Erase: true, Export: true},
	{Name: "learner_route", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: "one of a member", Backup: true, Traffic: true},
	{Name: "learner_fence", Owner: "user_id", Area: AreaAccounts, Kept: keptForever, Bound: "one of a member", Backup: true, Traffic: true},

	{Name: "learners_database", Area: AreaServer, Kept: keptForever, Bound: boundServer, Backup: true, Traffic: true},
	{Name: "counter", Area: AreaServer, Kept: keptForever, Bound: boundServer, Backup: true},
	{Name: "lease", Area: AreaServer, Kept: "until the next holder", Bound: boundServer, Backup: true, Traffic: true},
	{Name: "activity", Area: AreaCatalog, Kept: "100 days", Bound: "one for each kind of event and day", Backup: true, Traffic: true},

	{Name: "item", Owner: "owner", Area: AreaCatalog, Kept: keptForever, Bound: "quota.submissions, and a reviewer approves", Grows: grownRecord, Backup: true, Outlives: true},
	{Name: "item_text", Area: AreaCatalog, Kept: "with its item", Bound: "with its item", Backup: true},
	{Name: "item_version", Area: AreaCatalog, Kept: "with its item", Bound: "with its item", Backup: true},
	{Name: "artifact", Area: AreaCatalog, Kept: "with its item", Bound: "with its item", Backup: true},
	{Name: "engagement", Area: AreaCatalog, Kept: "with its item", Bound: "one of an item", Backup: true},
	{Name: "mirror", Area: AreaCatalog, Kept: keptForever, Bound: boundServer, Backup: true, Traffic: true},
	{Name: "mirror_entry", Area: AreaCatalog, Kept: "with its mirror", Bound: boundServer, Backup: true, Traffic: true},
	{Name: "verdict_change", Area: AreaCatalog, Kept: "until published or dismissed", Bound: boundServer, Backup: true, Traffic: true},
	{Name: "takedown", Area: AreaCatalog, Kept: "until another person agrees or it is taken back", Bound: boundServer, Backup: true},
	{Name: "rating", Owner: "user_id", Area: AreaCatalog, Kept: "until removed and a day", Bound: "one of a member and an item; quota.ratings", Backup: true},
	{Name: "rating_report", Owner: "reported_by", Area: AreaCatalog, Kept: "until decided", Bound: "one of a member and a rating; quota.ratings", Backup: true},
	{Name: "ranking", Area: AreaCatalog, Kept: "with its item", Bound: "one of an item", Backup: true, Traffic: true},
	{Name: "submission", Owner: "user_id", Area: AreaSubmissions, Kept: keptForever, Bound: "quota.submissions, quota.pending-submissions", Grows: grownRecord, Backup: true, Outlives: true},
	{Name: "submission_message", Owner: "user_id", Area: AreaSubmissions, Kept: "with its submission's member", Bound: "200 of a submission", Backup: true},
	{Name: "submission_removal", Owner: "user_id", Area: AreaSubmissions, Kept: "until a reviewer accepts what was to be removed", Bound: boundServer, Backup: true},
	{Name: "review_claim", Area: AreaSubmissions, Kept: "until decided, given back or taken over", Bound: boundServer, Backup: true},
	{Name: "review_seen", Area: AreaSubmissions, Kept: keptForever, Bound: boundServer, Backup: true},
	{Name: "scan_job", Area: AreaSubmissions, Kept: "until scanned", Bound: "one of a submission that waits", Backup: true, Traffic: true},
	{Name: "import_draft", Owner: "user_id", Area: AreaDrafts, Kept: "draft-keep", Bound: "quota.drafts, quota.draft-bytes, quota.imports", Backup: true, Hidden: []string{"blob", "draft_key"}},
	{Name: "template_draft", Owner: "user_id", Area: AreaDrafts, Kept: "draft-keep", Bound: "quota.drafts, quota.draft-bytes, for draft-keep", Backup: true},
	{Name: "transfer_job", Owner: "user_id", Area: AreaMember, Kept: "the newest 1,000 of a member", Bound: "the newest 1,000 of a member", Backup: true},
	{Name: "idempotency", Owner: "user_id", Area: AreaIdempotency, Kept: "idempotency-keep; 24 h when the key is a request id", Bound: "quota.writes, quota.write-bytes, for idempotency-keep", Backup: true, Erase: true, Export: true},

	{Name: "trial", Owner: "user_id", Area: AreaMember, Kept: keptForever, Bound: "one of a member and an item", Backup: true},
	{Name: "installation", Owner: "user_id", Area: AreaMember, Kept: keptForever, Bound: "one of a member and an item", Backup: true},
	{Name: "notification", Owner: "user_id", Area: AreaMember, Kept: "the newest 1,000 of a member", Bound: "the newest 1,000 of a member", Backup: true},
	{Name: "notification_choice", Owner: "user_id", Area: AreaMember, Kept: keptForever, Bound: "one of a member", Backup: true, Hidden: []string{"mail_code_hash", "webhook_secret", "feed_hash"}},
	{Name: "reminder_calendar", Owner: "user_id", Area: AreaMember, Kept: keptForever, Bound: "one of a member", Backup: true, Hidden: []string{"token_hash"}},
	{Name: "notification_delivery", Owner: "user_id", Area: AreaMember, Kept: "until sent; 7 days when it was given up", Bound: "two of a notification, for 7 days", Backup: true, Traffic: true},
	{Name: "audit_event", Owner: "owner", Area: AreaAudit, Kept: "for ever; details for audit-detail-keep", Bound: "quota.writes, quota.write-bytes; details for audit-detail-keep", Grows: "each event holds the digest of the one before, so that a missing one is seen", Backup: true, Outlives: true},
	{Name: "audit_head", Area: AreaAudit, Kept: keptForever, Bound: boundServer, Backup: true, Traffic: true},
	{Name: "request_trace", Owner: "user_id", Area: AreaTraces, Kept: "trace-keep, and no more than limits.trace-mib", Bound: "limits.trace-mib", Backup: true, Erase: true, Export: true, Traffic: true},

	{Name: "note_scope", Owner: "owner", Area: AreaNotes, Kept: "for ever: it tells nodes what was erased", Bound: "one of a member", Backup: true, Outlives: true},
	{Name: "note", Owner: "owner", Area: AreaNotes, Kept: keptForever, Bound: "quota.notes, quota.note-bytes, quota.note-sections", Backup: true, Erase: true, Export: true},
	{Name: "note_correction", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "10,000 pairs of a member, and as many that a model judged", Backup: true, Erase: true, Export: true},
	{Name: "note_history", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "the newest 10,000 of a member", Backup: true, Erase: true, Export: true},
	{Name: "embedding", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "quota.note-sections", Backup: true, Erase: true},

	{Name: "question_scope", Owner: "owner", Area: AreaNotes, Kept: "for ever: it tells nodes what was changed", Bound: "one of a member", Backup: true, Outlives: true},
	{Name: "question", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "64 MiB of a member by edits; quota.note-bytes by imports; quota.model-calls by proposals", Backup: true, Erase: true, Export: true},
	{Name: "question_version", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "the newest 50 of a question", Backup: true, Erase: true, Export: true},
	{Name: "question_run", Owner: "user_id", Area: AreaNotes, Kept: keptErased, Bound: "one of a member", Backup: true, Erase: true, Export: true},
	{Name: "question_part", Owner: "user_id", Area: AreaNotes, Kept: keptErased, Bound: "2,000 of a run", Backup: true, Erase: true, Export: true},
	{Name: "question_tally", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a question", Backup: true, Erase: true, Export: true},
	{Name: "question_answers", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a question", Backup: true, Erase: true, Export: true},
	{Name: "question_kept", Owner: "user_id", Area: AreaLearners, Kept: "until its learner no longer keeps it, or erased", Bound: "one of a question", Backup: true, Erase: true, Export: true},
	{Name: "anki_collection", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "one of a member", Backup: true, Erase: true, Export: true},
	{Name: "anki_review", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "one of an answer; quota.observations, quota.study-sessions", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "note_media", Owner: "owner", Area: AreaNotes, Kept: keptErased, Bound: "1 GiB of a member", Backup: true, Erase: true, Export: true},

	{Name: "learner", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a member", Backup: true, Erase: true, Export: true},
	{Name: "learner_atom", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "quota.note-sections", Backup: true, Erase: true, Export: true},
	{Name: "observation", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "quota.observations, quota.study-sessions", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "shared_answer", Owner: "user_id", Area: AreaLearners, Kept: "until the member no longer shares, or erased", Bound: "one of an observation", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "session_undo", Owner: "user_id", Area: AreaLearners, Kept: "of a learner's newest 20 sessions", Bound: "the newest 20 of a learner", Backup: true, Erase: true, Export: true},
	{Name: "study_session", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "quota.study-sessions", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "study_sum", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "quota.study-sessions", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "plan_quality", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "quota.plan-checks", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "plan_quality_sum", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "quota.plan-checks", Grows: grownHistory, Backup: true, Erase: true, Export: true},
	{Name: "tutor_trace", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "quota.tutor-replies, for governance-keep", Backup: true, Erase: true, Export: true},
	{Name: "query_sample", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "the newest 200 of a learner", Backup: true, Erase: true, Export: true, Traffic: true},
	{Name: "learner_count", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a kind", Backup: true, Erase: true, Export: true},
	{Name: "memory_entry", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "the newest 80, 320 and 1,200 of the three layers", Backup: true, Erase: true, Export: true},
	{Name: "orchestration", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a learner", Backup: true, Erase: true, Export: true},
	{Name: "strategy_exposure", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "quota.study-sessions, for governance-keep", Backup: true, Erase: true, Export: true},
	{Name: "strategy_evidence", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a strategy", Backup: true, Erase: true, Export: true},
	{Name: "verification", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "quota.verifications, for governance-keep", Backup: true, Erase: true, Export: true},
	{Name: "remediation_event", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "quota.remediations, for governance-keep", Backup: true, Erase: true, Export: true},
	{Name: "governance_sum", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "with its records", Backup: true, Erase: true, Export: true},
	{Name: "quality_record", Owner: "user_id", Area: AreaLearners, Kept: keptGovernance, Bound: "quota.quality-snapshots, for governance-keep", Backup: true, Erase: true, Export: true},
	{Name: "quality_state", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a learner", Backup: true, Erase: true, Export: true},
	{Name: "quality_baseline", Owner: "user_id", Area: AreaLearners, Kept: keptErased, Bound: "one of a learner", Backup: true, Erase: true, Export: true},

	{Name: "item_search", Area: AreaSearch, Kept: "with its item; computed", Bound: boundServer},
	{Name: "item_search_state", Area: AreaSearch, Kept: "with its item; computed", Bound: boundServer},
	{Name: "feed_row", Area: AreaCatalog, Kept: "with its item; computed", Bound: boundServer, Traffic: true},
	{Name: "sharing_key", Area: AreaServer, Kept: keptForever, Bound: boundServer, Backup: true},
	{Name: "history_loss", Area: AreaServer, Kept: keptForever, Bound: boundServer},
	{Name: "history_acceptance", Area: AreaServer, Kept: keptForever, Bound: boundServer},
	{Name: "goose_db_version", Area: AreaServer, Kept: keptForever, Bound: boundServer},
	{Name: "unfinished_move", Area: AreaServer, Kept: "while another store is copied into this one", Bound: boundServer},
}

// backupTables returns the names of the tables whose rows a backup has, sorted.
func backupTables() (names []string) {
	for _, t := range Registry {
		if t.Backup {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}
