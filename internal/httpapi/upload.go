package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"reflect"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
)

// longestUpload is the largest request that can hold a package: its base64 and the fields beside it.
var longestUpload = int64(base64.StdEncoding.EncodedLen(submit.MaxPackageBytes)) + routes.MaxBody

// headTime is how long the beginning of an upload that is refused for its length is waited for.
const headTime = 300 * time.Millisecond

// uploaded is an application method that takes a file.
type uploaded[In, Out any] func(a *app.App, ctx context.Context, c core.Caller, in In, file *submit.Upload) (Out, error)

// uploads serves an application method that takes a file: the session and the role are known by now, the
// body is walked once and the file's bytes go to the disk as they come.
func uploads[In, Out any](message, jobType string, m uploaded[In, Out]) func(*request) error {
	return func(r *request) error {
		if err := routes.JSONContent(r.Header.Get("Content-Type")); err != nil {
			return err
		}
		if err := r.server.uploads.Take(r.Context(), r.caller.UserID); err != nil {
			return err
		}
		defer r.server.uploads.Leave(r.caller.UserID)
		r.allowTime()
		file, err := r.server.app.BeginUpload(r.Context(), r.caller, jobType, r.expected())
		if err != nil {
			return err
		}
		defer file.Close()
		values, err := r.walk(file)
		if err != nil {
			if file.Size() == 0 && !refusedFile(err) {
				return err // no file was on its way: like every other request that is not understood
			}
			file.Fail(err)
		}
		in, err := routes.Into[In](values)
		if err != nil {
			return err
		}
		named(&in, idempotencyKey(r.Request))
		out, err := m(r.server.app, r.Context(), r.localized(values), in, file)
		if err != nil {
			return err
		}
		succeed(r.w, r.route, http.StatusOK, message, out)
		return nil
	}
}

// refusedFile tells whether an error is about the file, not about the request around it.
func refusedFile(err error) bool {
	code := errs.CodeOf(err)
	return code == errs.PackageTooLarge || code == errs.InvalidPackagePayload || code == errs.Internal
}

// walk reads the body; the file's bytes go into sink. With an error it gives what stood before the place where the body
// went wrong, so that a failed upload keeps its name.
func (r *request) walk(sink *submit.Upload) (map[string]any, error) {
	if r.ContentLength > longestUpload {
		// What names the upload stands at the beginning; a client that waits for the answer sends no more than that, if anything.
		_ = http.NewResponseController(r.w).SetReadDeadline(time.Now().Add(headTime)) // where it cannot be set there is none
		head := routes.Streamed{Src: io.LimitReader(r.Body, routes.StreamBlock), Name: r.route.Streamed, Sink: io.Discard}
		_, _ = head.Read() // breaks off
		return r.begun(head.Kept.Bytes()), submit.TooLarge(r.ContentLength / 4 * 3)
	}
	body := routes.Streamed{Src: http.MaxBytesReader(r.w, r.Body, longestUpload+1), Name: r.route.Streamed, Sink: sink}
	kept, err := body.Read()
	if err != nil {
		return r.begun(body.Kept.Bytes()), err
	}
	values, err := r.route.Object(kept)
	if err != nil {
		return map[string]any{}, err
	}
	return values, nil
}

// begun reads a body that breaks off: in the middle of the streamed text, or behind a whole member.
func (r *request) begun(kept []byte) map[string]any {
	for _, end := range []string{`"}`, `}`} {
		if values, err := r.route.Object(append(bytes.Clone(kept), end...)); err == nil {
			return values
		}
	}
	return map[string]any{}
}

// expected is about how many bytes the file will have, 0 when the client does not say.
func (r *request) expected() int64 { return max(0, r.ContentLength/4*3) }

// allowTime gives an upload longer than the server gives other requests, as long as it comes at the pace of one.
func (r *request) allowTime() {
	if body, ok := r.Body.(*limits.PacedBody); ok {
		p := limits.UploadPace
		if r.server.UploadWindow > 0 {
			p.Window = r.server.UploadWindow
		}
		body.Begin(p)
	}
	_ = http.NewResponseController(r.w).SetWriteDeadline(time.Now().Add(limits.UploadTime)) // where it cannot be set there is none
}

// idempotencyKey is the key that a request carries as a header.
func idempotencyKey(req *http.Request) string {
	if key := req.Header.Get("Idempotency-Key"); key != "" {
		return key
	}
	return req.Header.Get("X-Idempotency-Key")
}

// keyed serves an application method that an idempotency key in the header may make repeatable.
func keyed[In, Out any](message string, m method[In, Out]) func(*request) error {
	return func(r *request) error {
		return plain(message, func(a *app.App, ctx context.Context, c core.Caller, in In) (Out, error) {
			named(&in, idempotencyKey(r.Request))
			return m(a, ctx, c, in)
		})(r)
	}
}

// named puts a key from the header into an input that has a place for it.
func named(in any, key string) {
	if field := reflect.ValueOf(in).Elem().FieldByName("HeaderKey"); field.IsValid() {
		field.SetString(key)
	}
}
