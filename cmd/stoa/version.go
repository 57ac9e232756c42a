package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	changelog "stoa"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func versionText() string {
	text := "stoa " + version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += " (" + s.Value[:min(12, len(s.Value))] + ")"
			}
		}
	}
	return text
}

type versionCmd struct {
	News bool `help:"Also print what is new in it."`
}

// Run prints the version.
func (c *versionCmd) Run(o output) error {
	if c.News {
		section, points := changelog.News()
		return o.print(map[string]any{"version": version, "section": section, "news": points}, func(w io.Writer) {
			fmt.Fprintf(w, "%s\n\n%s:\n", versionText(), section)
			for _, point := range points {
				fmt.Fprintf(w, "- %s\n", point)
			}
		})
	}
	return o.print(map[string]string{"version": version, "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH}, func(w io.Writer) {
		fmt.Fprintf(w, "%s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	})
}
