package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Run is one run of a load programme.
type Run struct {
	Ctx    context.Context
	Dir    string // thrown away afterwards
	Binary string // of Stoa; Prepare builds it when empty
	began  time.Time
}

func NewRun(ctx context.Context) Run { return Run{Ctx: ctx, began: time.Now()} }

// Prepare makes the folder, which the caller removes, and the binary.
func (r *Run) Prepare() (err error) {
	if r.Dir, err = os.MkdirTemp("", "stoa-load-"); err != nil || r.Binary != "" {
		return err
	}
	r.Binary = filepath.Join(r.Dir, "stoa")
	return r.Command("", "go", "build", "-o", r.Binary, "./cmd/stoa")
}

// Command runs one to its end.
func (r *Run) Command(dir, name string, args ...string) error {
	cmd := exec.CommandContext(r.Ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// Progress tells whoever waits how far it is.
func (r *Run) Progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%6.1fs  %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}
