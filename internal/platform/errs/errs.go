package errs

import (
	"errors"
	"fmt"
	"time"
)

// Code is an error.code of the contract.
type Code string

// The codes of the contract.
const (
	InvalidJSON                Code = "invalid_json"
	InvalidRequest             Code = "invalid_request"
	InvalidMode                Code = "invalid_mode"
	InvalidCursor              Code = "invalid_cursor"
	TemplateIDRequired         Code = "template_id_required"
	PackIDRequired             Code = "pack_id_required"
	Unauthorized               Code = "unauthorized"
	InvalidCredentials         Code = "invalid_credentials"
	PermissionDenied           Code = "permission_denied"
	SignupClosed               Code = "signup_closed"
	NotFound                   Code = "not_found"
	TemplateNotFound           Code = "template_not_found"
	TemplateNotInstallable     Code = "template_not_installable"
	PackageArtifactMissing     Code = "package_artifact_missing"
	ProfilePackNotPublished    Code = "profile_pack_not_published"
	MemberInstallationNotFound Code = "member_installation_not_found"
	MethodNotAllowed           Code = "method_not_allowed"
	UserIDTaken                Code = "user_id_taken"
	RequestBodyTooLarge        Code = "request_body_too_large"
	UnsupportedContentType     Code = "unsupported_content_type"
	RangeNotSatisfiable        Code = "range_not_satisfiable"
	RateLimited                Code = "rate_limited"
	QuotaExceeded              Code = "quota_exceeded"
	Internal                   Code = "internal_error"
	ServiceUnavailable         Code = "service_unavailable"
	CommitUnknown              Code = "commit_outcome_unknown"
	SubmissionNotFound         Code = "submission_not_found"
	SubmissionStateInvalid     Code = "submission_state_invalid"
	OwnershipConflict          Code = "ownership_conflict"
	AccountNotFound            Code = "account_not_found"
	PackageTooLarge            Code = "package_too_large"
	InvalidPackagePayload      Code = "invalid_package_payload"
	InvalidProfilePackPayload  Code = "invalid_profile_pack_payload"
	PackPayloadRequired        Code = "profile_pack_payload_required"
	PackSourceRequired         Code = "profile_pack_source_required"
	PackNotFound               Code = "profile_pack_not_found"
	PackSubmissionNotFound     Code = "profile_pack_submission_not_found"
	PackSubmissionState        Code = "profile_pack_submission_state_invalid"
	PackIncompatible           Code = "profile_pack_incompatible"
	EncryptionKeyRequired      Code = "profile_pack_encryption_key_required"
	InvalidProfileSection      Code = "invalid_profile_section"
	InvalidProfileSectionPath  Code = "invalid_profile_section_path"
	InvalidRedactionPath       Code = "invalid_redaction_path"
	SecretsDetected            Code = "secrets_detected"
	SubmissionIDRequired       Code = "submission_id_required"
	SubmissionPackageMissing   Code = "submission_package_not_available"
	ImportNotFound             Code = "profile_import_not_found"
	ImportInUse                Code = "profile_import_in_use"
	TemplateDraftNotFound      Code = "template_draft_not_found"
	TemplateDraftChanged       Code = "template_draft_changed"
	IdempotencyConflict        Code = "idempotency_key_conflict"
	PlanRequired               Code = "study_session_plan_quality_session_plan_required"
	BaselineUserRequired       Code = "learning_quality_baseline_user_id_required"
	BaselineSnapshotRequired   Code = "learning_quality_baseline_snapshot_required"
	BaselineNotFound           Code = "learning_quality_baseline_not_found"
	SessionNotLast             Code = "study_session_not_last"
	SessionTakenBack           Code = "study_session_taken_back"
	RatingNotAllowed           Code = "rating_not_allowed"
)

// Detail names one field of a request and what is wrong with it.
type Detail struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Error is what a caller gets told: a code for programs and a message for people that says what to do.
type Error struct {
	Code    Code
	Message string
	Details []Detail
	// Data goes into the envelope's data, such as the id that was not found.
	Data map[string]any
	// RetryAfter, when positive, is how long to wait before the same call can succeed.
	RetryAfter time.Duration
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap gives the cause, which is logged and never shown.
func (e *Error) Unwrap() error { return e.cause }

// New makes an error with a message fit to show a person.
func New(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// Newf is New with formatting.
func Newf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap keeps cause for the log behind a message fit to show.
func Wrap(code Code, message string, cause error) *Error {
	return &Error{Code: code, Message: message, cause: cause}
}

// With adds a value to the envelope's data.
func (e *Error) With(key string, value any) *Error {
	if e.Data == nil {
		e.Data = map[string]any{}
	}
	e.Data[key] = value
	return e
}

// Invalid is a schema violation of one field.
func Invalid(field, problem string) *Error {
	return &Error{
		Code:    InvalidRequest,
		Message: fmt.Sprintf("%s %s.", field, problem),
		Details: []Detail{{Field: field, Problem: problem}},
	}
}

// CodeOf gives the code of err, Internal for an error that is not ours, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// As gives the *Error in err, if there is one.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}
