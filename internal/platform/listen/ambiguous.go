package listen

import "net/http"

// lastOfItsConnection closes a connection of HTTP/1 after a request whose end others may see elsewhere: one with chunks, which
// net/http believes over a Content-Length beside them (RFC 9112, 6.1 has the connection closed then; the handler cannot see
// that there was one), and one that asks for a tunnel. What follows such a request is never read as another.
func lastOfItsConnection(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && (len(r.TransferEncoding) > 0 || r.Method == http.MethodConnect) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
