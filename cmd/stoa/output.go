package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"stoa/client"
	"stoa/internal/platform/errs"
	"strings"
)

// errFound says that something was looked at and is not as it should be; the exit code is 3.
var errFound = errors.New("something is wrong; see above")

// output is where a command writes: text for people, or with --json one JSON value.
type output struct {
	out, err io.Writer
	in       io.Reader
	json     bool
}

// print writes value as JSON, or lets text write it for people.
func (o output) print(value any, text func(io.Writer)) error {
	if !o.json {
		text(o.out)
		return nil
	}
	e := json.NewEncoder(o.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// report tells what went wrong, in the form that the command was asked for, and gives its code.
func report(o output, err error) errs.Code {
	coded := codedError(err)
	if o.json {
		shown := map[string]any{"code": coded.Code, "message": coded.Message}
		if len(coded.Details) > 0 {
			shown["details"] = coded.Details
		}
		_ = output{out: o.err, json: true}.print(map[string]any{"ok": false, "error": shown}, nil)
		return coded.Code
	}
	for i, line := range strings.Split(coded.Message, "\n") {
		fmt.Fprintf(o.err, "%s%s\n", []string{"stoa: ", "  "}[min(i, 1)], printable(line))
	}
	for _, d := range coded.Details {
		if strings.Contains(coded.Message, d.Problem) {
			continue // the message says it already
		}
		fmt.Fprintf(o.err, "  %s: %s\n", printable(d.Field), printable(d.Problem))
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
