package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
)

// statusOf is the one table from error codes to HTTP statuses.
var statusOf = map[errs.Code]int{
	errs.InvalidJSON:                http.StatusBadRequest,
	errs.InvalidMode:                http.StatusBadRequest,
	errs.InvalidCursor:              http.StatusBadRequest,
	errs.TemplateIDRequired:         http.StatusBadRequest,
	errs.PackIDRequired:             http.StatusBadRequest,
	errs.Unauthorized:               http.StatusUnauthorized,
	errs.InvalidCredentials:         http.StatusUnauthorized,
	errs.PermissionDenied:           http.StatusForbidden,
	errs.SignupClosed:               http.StatusForbidden,
	errs.NotFound:                   http.StatusNotFound,
	errs.TemplateNotFound:           http.StatusNotFound,
	errs.TemplateNotInstallable:     http.StatusNotFound,
	errs.PackageArtifactMissing:     http.StatusNotFound,
	errs.ProfilePackNotPublished:    http.StatusNotFound,
	errs.MemberInstallationNotFound: http.StatusNotFound,
	errs.MethodNotAllowed:           http.StatusMethodNotAllowed,
	errs.UserIDTaken:                http.StatusConflict,
	errs.RequestBodyTooLarge:        http.StatusRequestEntityTooLarge,
	errs.UnsupportedContentType:     http.StatusUnsupportedMediaType,
	errs.RangeNotSatisfiable:        http.StatusRequestedRangeNotSatisfiable,
	errs.InvalidRequest:             http.StatusUnprocessableEntity,
	errs.PackageTooLarge:            http.StatusRequestEntityTooLarge,
	errs.InvalidPackagePayload:      http.StatusBadRequest,
	errs.InvalidProfilePackPayload:  http.StatusBadRequest,
	errs.PackPayloadRequired:        http.StatusBadRequest,
	errs.PackSourceRequired:         http.StatusBadRequest,
	errs.EncryptionKeyRequired:      http.StatusBadRequest,
	errs.InvalidProfileSection:      http.StatusBadRequest,
	errs.InvalidProfileSectionPath:  http.StatusBadRequest,
	errs.InvalidRedactionPath:       http.StatusBadRequest,
	errs.SubmissionIDRequired:       http.StatusBadRequest,
	errs.PackNotFound:               http.StatusNotFound,
	errs.PackSubmissionNotFound:     http.StatusNotFound,
	errs.SubmissionNotFound:         http.StatusNotFound,
	errs.SubmissionPackageMissing:   http.StatusNotFound,
	errs.ImportNotFound:             http.StatusNotFound,
	errs.ImportInUse:                http.StatusConflict,
	errs.TemplateDraftNotFound:      http.StatusNotFound,
	errs.TemplateDraftChanged:       http.StatusConflict,
	errs.PackSubmissionState:        http.StatusConflict,
	errs.SubmissionStateInvalid:     http.StatusConflict,
	errs.PackIncompatible:           http.StatusConflict,
	errs.IdempotencyConflict:        http.StatusConflict,
	errs.PlanRequired:               http.StatusUnprocessableEntity,
	errs.BaselineUserRequired:       http.StatusUnprocessableEntity,
	errs.BaselineSnapshotRequired:   http.StatusUnprocessableEntity,
	errs.BaselineNotFound:           http.StatusNotFound,
	errs.SessionNotLast:             http.StatusConflict,
	errs.SessionTakenBack:           http.StatusConflict,
	errs.RatingNotAllowed:           http.StatusForbidden,
	errs.SecretsDetected:            http.StatusUnprocessableEntity,
	errs.QuotaExceeded:              http.StatusConflict,
	errs.RateLimited:                http.StatusTooManyRequests,
	errs.Internal:                   http.StatusInternalServerError,
	errs.ServiceUnavailable:         http.StatusServiceUnavailable,
	errs.CommitUnknown:              http.StatusServiceUnavailable,
}

type failure struct {
	OK      bool           `json:"ok"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data"`
	Error   failureError   `json:"error"`
}

type failureError struct {
	Code    errs.Code     `json:"code"`
	Message string        `json:"message"`
	Details []errs.Detail `json:"details,omitempty"`
}

// fail writes an error. What is not ours is shown without its text and logged with it.
func (s *Server) fail(w *recorder, req *http.Request, err error) {
	if answerFirst(w, req) {
		defer drain(req)
		defer func() { _ = http.NewResponseController(w).Flush() }() // a client that has gone needs no answer
	} else {
		drain(req)
	}
	e, ok := errs.As(err)
	if !ok || statusOf[e.Code] == 0 {
		w.problem = err
		e = errs.Newf(errs.Internal, "Something went wrong on the server. Quote the request id %s to its operator.", w.requestID)
		if away := core.Outage(err); away != nil {
			e = away
		} else if unavailable(req, err) {
			e = &errs.Error{Code: errs.ServiceUnavailable, Message: "The server is busy or stopping. Try again in a moment.", RetryAfter: time.Second}
		}
	}
	if errors.Unwrap(e) != nil {
		w.problem = e // what is behind it is for the log
	}
	w.code = e.Code
	h := w.Header()
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	} else if statusOf[e.Code] == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	if e.Code == errs.Unauthorized && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", `Bearer realm="stoa"`)
	}
	data := e.Data
	if data == nil {
		data = map[string]any{}
	}
	h.Set("X-Error-Code", string(e.Code))
	h.Set("Cache-Control", "no-store")
	writeJSON(w, statusOf[e.Code], failure{Message: e.Message, Data: data, Error: failureError{e.Code, e.Message, e.Details}})
}

// succeed writes data in the envelope. Private answers are not to be kept by anybody on the way.
func succeed(w *recorder, route *routes.Route, status int, message string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // our own types always encode
	}
	w.Header().Set("Cache-Control", "no-store")
	writeBody(w, status, "application/json", envelope(route.Flat, status < 400, message, text))
}

// envelope puts rendered data into the contract's envelope; flat repeats its members beside it.
func envelope(flat, ok bool, message string, data []byte) []byte {
	size := len(data)
	if flat {
		size *= 2
	}
	head := envelopeHead(ok, message)
	out := make([]byte, 0, len(head)+size+1)
	out = append(append(out, head...), data...)
	if flat && len(data) > 2 {
		out = append(append(out, ','), bytes.TrimSuffix(data[1:], []byte("}"))...)
	}
	return append(out, '}')
}

// envelopeHead is what stands before the data.
func envelopeHead(ok bool, message string) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // a string always encodes
	}
	return fmt.Appendf(nil, `{"ok":%t,"message":%s,"data":`, ok, text)
}

func writeJSON(w *recorder, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types always encode
	}
	writeBody(w, status, "application/json", text)
}

func writeBody(w *recorder, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// drained bounds how much of a refused body is read all the same: many clients write their whole
// request before they read, and would find a cut connection instead of the answer.
const drained = 64 << 20

// drain reads the rest of a body, unless the client waits to be asked for it.
func drain(req *http.Request) {
	if req.Body != nil && req.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, req.Body, drained) // what cannot be read need not be
	}
}

// waitsFor is from what size on a client need not have sent its whole body to be told that it is refused.
const waitsFor = 256 << 10

// answerFirst tells whether a refusal is sent before the rest of a large body has been read, so that a
// client that looks while it writes can stop. Not every connection can do that.
func answerFirst(w *recorder, req *http.Request) bool {
	return (req.ContentLength > waitsFor || req.ContentLength < 0) && http.NewResponseController(w).EnableFullDuplex() == nil
}
