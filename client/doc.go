// Package client calls a Stoa server: sign in, submit templates and profile packs, follow submissions, download and
// install what is published.
//
//	c, err := client.New("https://stoa.example", client.Options{Token: token})
//	s, err := c.SubmitTemplate(ctx, client.Template{TemplateID: "ada/letters"}, client.FileAt("letters.zip"))
//
// Every call takes a context and answers an *Error when the server refuses; its Code is the contract's error.code. Reads
// are tried again on network errors, 429 and 5xx, writes only when they carry an idempotency key: with one the server
// does the work once, however often it is asked. Retry-After is honoured.
//
// Files are sent and received in pieces, so a package of any size costs some kilobytes of memory. A download is written
// to its place only when its SHA-256 fits.
//
// The package uses the standard library alone. The module has no address that the go command could fetch it from. With a
// clone of it, another module imports "stoa/client" after:
//
//	go mod edit -require stoa@v0.0.0 -replace stoa=../stoa
package client
