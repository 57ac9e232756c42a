package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	changelog "stoa"
)

// Version is set by the build (-ldflags "-X stoa/internal/cli.Version=…").
var Version = "dev"

func versionText() string {
	text := "stoa " + Version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += " (" + s.Value[:min(12, len(s.Value))] + ")"
			}
		}
	}
	return text
}

// VersionCmd is `stoa version`.
type VersionCmd struct {
	News bool `help:"Also print what is new in it."`
}

// Run prints the version.
func (c *VersionCmd) Run(o Output) error {
	if c.News {
		section, points := changelog.News()
		return o.Print(map[string]any{"version": Version, "section": section, "news": points}, func(w io.Writer) {
			fmt.Fprintf(w, "%s\n\n%s:\n", versionText(), section)
			for _, point := range points {
				fmt.Fprintf(w, "- %s\n", point)
			}
		})
	}
	return o.Print(map[string]string{"version": Version, "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH}, func(w io.Writer) {
		fmt.Fprintf(w, "%s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	})
}
