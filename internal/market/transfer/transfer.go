// Package transfer knows the states of an upload or a download and which of them follow each other.
//
// app calls it before it changes a job. The table of states is in docs/publishing-states.md.
package transfer

// The states of a job.
const (
	Queued    = "queued"
	Running   = "running"
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// The directions.
const (
	Upload   = "upload"
	Download = "download"
)

// The types of job.
const (
	TemplateSubmission        = "template_submission"
	TemplateSubmissionPackage = "template_submission_package"
	ProfilePackImport         = "profile_pack_import"
	ProfilePackSubmission     = "profile_pack_submission"
	SubmissionPackage         = "member_submission_package"
	SubmissionExport          = "profile_pack_submission_export"
)

// The reasons of a failure.
const (
	ReasonConflict    = "idempotency_conflict"
	ReasonTooLarge    = "payload_too_large"
	ReasonPayload     = "invalid_payload"
	ReasonValidation  = "validation_failed"
	ReasonUnavailable = "service_unavailable"
	ReasonMissing     = "artifact_missing"
	// ReasonInterrupted is given to a job whose process ended, or whose client left, in the middle.
	ReasonInterrupted = "interrupted"
)

var next = map[string][]string{
	Queued:  {Running, Failed, Cancelled},
	Running: {Done, Failed, Cancelled},
	Failed:  {Queued},
}

// CanBecome tells whether a job may go from one state to another. Done and cancelled are final; a
// failed job is queued again when the same logical transfer is tried again.
func CanBecome(from, to string) bool {
	for _, state := range next[from] {
		if state == to {
			return true
		}
	}
	return false
}

// MaxAttempts is how often a client should try a direction by itself. A person may always try again.
func MaxAttempts(direction string) int {
	if direction == Download {
		return 2
	}
	return 3
}
