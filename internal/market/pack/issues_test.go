package pack

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDiagnose(t *testing.T) {
	sections := parsed(t, `{
		"environment_manifest": {"container_runtime": "docker", "system_dependencies": ["ffmpeg"], "plugin_binaries": [], "platform": [{"id": "x"}]},
		"knowledge_base": {"kb.1": {}},
		"providers": {"a": {"key": ["enc-v1:x:y"]}}}`).(map[string]any)
	m := Manifest{HostVersion: "4.25.0", PluginCompat: ">=1.2,<2", Signature: &Signature{Algorithm: "rsa"}}
	for name, c := range map[string]struct {
		host   Host
		want   []string
		result string
	}{
		"market": {Host{}, []string{IssueEncryptedSecrets, IssueContainer, IssueSystemDependencies, IssueKnowledgeStorage, IssueSignatureAlgorithm}, Blocked},
		"host":   {Host{Version: "4.25.1", PluginVersion: "2.0", HoldsKey: true}, []string{IssueHostVersion, IssueContainer, IssueSystemDependencies, IssueKnowledgeStorage, IssuePluginCompat, IssueSignatureAlgorithm}, Blocked},
	} {
		issues := Diagnose(m, sections, c.host)
		if diff := cmp.Diff(sorted(c.want), Codes(issues)); diff != "" || Compatibility(issues) != c.result {
			t.Errorf("%s: %s %s", name, diff, Compatibility(issues))
		}
		for _, i := range issues {
			if i.Code == IssueKnowledgeStorage && (i.RelatedPaths[0] != `knowledge_base["kb.1"]` || i.Sections[0] != "knowledge_base" || i.Blocking) {
				t.Errorf("%+v", i)
			}
		}
	}
	if got := Compatibility(Diagnose(Manifest{HostVersion: ">=4.20"}, nil, Host{Version: "4.25.0"})); got != Compatible {
		t.Error(got)
	}
}

func TestMatrix(t *testing.T) {
	m := NewMatrix(Issues([]string{"section_hash_mismatch:personas", IssueConverted, "who_knows", IssueConverted}), "any", "*")
	if m.Result != Degraded || m.GroupCounts[GroupConversion] != 1 || m.GroupCounts[GroupUnknown] != 1 || len(m.IssueGroups) != 6 {
		t.Errorf("%+v", m)
	}
	if m.Details[0].IssueKey != "profile_pack.issue.section_hash_mismatch" || m.Details[0].Group != GroupIntegrity {
		t.Errorf("%+v", m.Details[0])
	}
	if m := NewMatrix(nil, "", ""); m.Result != Compatible || m.Issues == nil || m.Details == nil {
		t.Errorf("%+v", m)
	}
}

func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		clauses, version string
		holds            bool
	}{
		{"", "1", true},
		{"any", "1", true},
		{"*", "", true},
		{">=1.2, <2", "1.10", true},
		{">=1.2, <2", "2.0", false},
		{"==1.0", "v1.0.0", true},
		{"=1.0", "1.0.1", false},
		{"1.0", "1.0", true},
		{">1.0", "1.0", false},
		{"<=1.0", "1.0+build", true},
		{"<1.0.0", "1.0.0-beta.2", true},
		{">1.0.0-beta.2", "1.0.0-beta.10", true},
	} {
		got, err := ParseConstraint(c.clauses)
		if err != nil || got.holds(c.version) != c.holds {
			t.Errorf("%q with %q: %v %v", c.clauses, c.version, got, err)
		}
	}
	for _, bad := range []string{",", ">=", ">=1,", "~1.0", "1.0 2.0", ">=latest", "=>1", ">>1", "!=1", "1;2"} {
		if c, err := ParseConstraint(bad); err == nil {
			t.Errorf("%q was read as %v", bad, c)
		}
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	version := rapid.StringMatching(`v?[0-9]{1,3}(\.[0-9a-c]{1,3}){0,3}(-[a-c0-9.]{1,5})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := version.Draw(t, "a"), version.Draw(t, "b"), version.Draw(t, "c")
		if compareVersions(a, a) != 0 || compareVersions(a, b) != -compareVersions(b, a) {
			t.Fatalf("%s and %s", a, b)
		}
		if compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0 && compareVersions(a, c) > 0 {
			t.Fatalf("%s ≤ %s ≤ %s", a, b, c)
		}
	})
}
