// Package install knows the options of an installation and what an install call does.
//
// app calls it with what the member asked for and what is there.
package install

import "slices"

// The package sources of the contract.
const (
	Auto     = "auto"
	Uploaded = "uploaded_submission"
	Built    = "generated"
)

// Options are the install_options of the contract in their normal form, as they are stored and echoed.
type Options struct {
	Preflight        bool     `json:"preflight"`
	ForceReinstall   bool     `json:"force_reinstall"`
	SourcePreference string   `json:"source_preference"`
	SelectedSections []string `json:"selected_sections"`
}

// Normal gives the options with defaults filled in and the list without blanks and repeats, in order.
func (o Options) Normal() Options {
	if o.SourcePreference == "" {
		o.SourcePreference = Auto
	}
	sections := []string{}
	for _, s := range o.SelectedSections {
		if s != "" && !slices.Contains(sections, s) {
			sections = append(sections, s)
		}
	}
	o.SelectedSections = sections
	return o
}

// Source picks the package to install: the generated one when it is asked for or when nothing was
// uploaded, else what the publisher uploaded.
func (o Options) Source(hasUpload bool) string {
	if o.SourcePreference == Built || !hasUpload {
		return Built
	}
	return Uploaded
}

// The statuses of an install answer.
const (
	PreflightReady   = "preflight_ready"
	Installed        = "installed"
	AlreadyInstalled = "already_installed"
	Reinstalled      = "reinstalled"
)

// Would says what an install call would do, for a preflight.
func (o Options) Would(isInstalled bool) string {
	switch {
	case !isInstalled:
		return "install"
	case o.ForceReinstall:
		return "reinstall"
	default:
		return "nothing"
	}
}
