package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNormal(t *testing.T) {
	got := Options{ForceReinstall: true, SelectedSections: []string{"b", "", "a", "b"}}.Normal()
	want := Options{ForceReinstall: true, SourcePreference: Auto, SelectedSections: []string{"b", "a"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got, got.Normal()); diff != "" {
		t.Error("Normal changes what is normal", diff)
	}
}

func TestOnlyGeneratedChangesTheSource(t *testing.T) {
	for _, c := range []struct {
		preference string
		upload     bool
		want       string
	}{
		{Auto, true, Uploaded},
		{Auto, false, Built},
		{Uploaded, true, Uploaded},
		{Uploaded, false, Built},
		{Built, true, Built},
		{Built, false, Built},
	} {
		if got := (Options{SourcePreference: c.preference}).Source(c.upload); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestWould(t *testing.T) {
	for _, c := range []struct {
		force, there bool
		want         string
	}{{false, false, "install"}, {true, false, "install"}, {false, true, "nothing"}, {true, true, "reinstall"}} {
		if got := (Options{ForceReinstall: c.force}).Would(c.there); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
