package botimport

import (
	stdbytes "bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market/archive"
	"stoa/internal/market/pack"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dataDir(t), "bots", name))
	if err != nil {
		t.Skip("the sample bots are not here: " + err.Error())
	}
	return body
}

// golden compares the report of a draft, line by line.
func golden(t *testing.T, name string, d *Draft) {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s host %s\n", d.PackType, d.PackID, d.Version, d.HostVersion)
	for _, i := range d.Issues {
		fmt.Fprintf(&out, "issue %s %v %v\n", i.Code, i.Sections, i.RelatedPaths)
	}
	summary, err := json.Marshal(d.Summary)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "summary %s\n", summary)
	for _, f := range d.Report.Fields {
		fmt.Fprintf(&out, "%s ×%d  %s → %s  %s %s\n", f.Outcome, f.Count, f.SourcePath, f.TargetPath, f.IssueCode, f.Note)
	}
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("-update writes it again:\n%s", diff)
	}
}

func TestSampleBackup(t *testing.T) {
	body := sample(t, "astrbot_backup_20260821.zip")
	d := draft(t, "astrbot_backup_20260821.zip", body)
	golden(t, "backup", d)
	if d.Source.Type != TypeBackup || d.Summary.PersonaCount != 3 || d.Summary.PluginCount != 2 || d.Summary.SkillCount != 1 {
		t.Errorf("%+v", d.Summary)
	}
	if slices.Contains(codes(d), pack.IssueWildcardUnresolved) || d.Source.Backup.ChecksumsFit != 4 {
		t.Errorf("%v %+v", codes(d), d.Source.Backup)
	}
	text, err := json.Marshal(d.Sections)
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"my new key is", "10001", "90002", "jwt_secret", "Divide irises"} {
		if strings.Contains(string(text), private) {
			t.Errorf("%q was taken over", private)
		}
	}
	// the same bytes give the same draft, whatever the file is called by
	again, err := json.Marshal(draft(t, "astrbot_backup_20260821.zip", body))
	first, _ := json.Marshal(d)
	if err != nil || !stdbytes.Equal(first, again) {
		t.Error("the same bytes gave another draft")
	}
}

func TestSampleConfiguration(t *testing.T) {
	d := draft(t, "cmd_config.json", sample(t, "cmd_config.json"))
	golden(t, "config", d)
	if d.Source.Type != TypeConfig || !slices.Contains(codes(d), pack.IssueWildcardUnresolved) || d.Summary.ProviderSourceCount != 2 {
		t.Errorf("%v %+v", codes(d), d.Summary)
	}
	if f := field(d, "cmd_config.json:provider_settings.default_personality"); f.Outcome == "" {
		t.Error("the persona that is missing is not told")
	}
}

// TestSampleAsFolder unpacks the backup as a bot keeps it and imports the folder.
func TestSampleAsFolder(t *testing.T) {
	body := sample(t, "astrbot_backup_20260821.zip")
	a, err := archive.Open(stdbytes.NewReader(body), int64(len(body)), archive.Default)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range a.Names() {
		text, err := a.Read(name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		to := "data/" + strings.TrimPrefix(strings.TrimPrefix(name, "directories/"), "config/cmd")
		if strings.HasPrefix(name, "config/") {
			to = "data/" + strings.TrimPrefix(name, "config/")
		}
		if strings.HasPrefix(name, "databases/") || name == "manifest.json" {
			continue
		}
		write(t, dir, to, string(text))
	}
	write(t, dir, "data/data_v4.db", "SQLite format 3\x00")
	d := fromFolder(t, dir)
	if d.Source.Type != TypeFolder || d.Summary.PluginCount != 2 || d.Summary.SkillCount != 1 || d.Summary.PersonaCount != 0 || d.Summary.ProfileCount != 1 {
		t.Errorf("%+v", d.Summary)
	}
	if f := field(d, "data_v4.db"); f.Outcome != NeedsAPerson || !strings.Contains(f.Note, "backup") {
		t.Errorf("%+v", f)
	}
	has(t, d, "plugins.astrbot_plugin_weather.config.city", `"Kyoto"`)
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func fromFolder(t testing.TB, dir string) *Draft {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := ReadFolder(context.Background(), filepath.Base(dir), f)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, d)
	return d
}
