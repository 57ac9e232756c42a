package httpapi

import (
	"io"
	"net/http"
	"time"
)

const (
	// bodyTime is how long a request's body may take, at the least 18 kB a second for the largest; an upload, which
	// only members may send, is given more by allowTime.
	bodyTime = time.Minute
	// afterBody is what is allowed for the rest of a request once its body is there. The connection is watched
	// meanwhile, and a deadline that passes would look like a client that has gone.
	afterBody = time.Hour
)

// timedBody bounds how long a request's body may take.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	ended   bool
}

// limitBody begins the time of a request's body, if it has one.
func (s *Server) limitBody(w *recorder, req *http.Request) {
	if req.Body == nil || req.Body == http.NoBody {
		return
	}
	limit := s.BodyTime
	if limit <= 0 {
		limit = bodyTime
	}
	control := http.NewResponseController(w.ResponseWriter)
	if control.SetReadDeadline(time.Now().Add(limit)) == nil { // in tests without a connection it cannot be set
		req.Body = &timedBody{ReadCloser: req.Body, control: control}
	}
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.ended { //nolint:errorlint // net/http gives it bare, and this is for every block
		b.ended = true
		_ = b.control.SetReadDeadline(time.Now().Add(afterBody))
	}
	return n, err
}
