package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"stoa/client"
	"stoa/internal/platform/errs"
)

// ErrFound says that something was looked at and is not as it should be; the exit code is 3.
var ErrFound = errors.New("something is wrong; see above")

// Output is where a command writes: text for people, or with --json one JSON value.
type Output struct {
	Out, Err io.Writer
	In       io.Reader
	JSON     bool
}

// Print writes value as JSON, or lets text write it for people.
func (o Output) Print(value any, text func(io.Writer)) error {
	if !o.JSON {
		text(o.Out)
		return nil
	}
	e := json.NewEncoder(o.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// Report tells what went wrong, in the form that the command was asked for, and gives its code.
func Report(o Output, err error) errs.Code {
	coded := codedError(err)
	if o.JSON {
		shown := map[string]any{"code": coded.Code, "message": coded.Message}
		if len(coded.Details) > 0 {
			shown["details"] = coded.Details
		}
		_ = Output{Out: o.Err, JSON: true}.Print(map[string]any{"ok": false, "error": shown}, nil)
		return coded.Code
	}
	for i, line := range strings.Split(coded.Message, "\n") {
		fmt.Fprintf(o.Err, "%s%s\n", []string{"stoa: ", "  "}[min(i, 1)], Printable(line))
	}
	for _, d := range coded.Details {
		if strings.Contains(coded.Message, d.Problem) {
			continue // the message says it already
		}
		fmt.Fprintf(o.Err, "  %s: %s\n", Printable(d.Field), Printable(d.Problem))
	}
	return coded.Code
}

// codedError finds the error that people are told: ours, or a server's.
func codedError(err error) *errs.Error {
	var coded *errs.Error
	var remote *client.Error
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.As(err, &remote):
		coded = errs.New(errs.Code(remote.Code), err.Error())
		for _, d := range remote.Details {
			coded.Details = append(coded.Details, errs.Detail(d))
		}
		if remote.Code == string(errs.Unauthorized) {
			coded.Message += " Sign in with `stoa login`."
		}
		return coded
	}
	return errs.New("failed", err.Error())
}
