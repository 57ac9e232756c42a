package apply

import (
	"slices"
	"testing"

	"stoa/internal/market/pack"
)

// A section comes in when it is asked for and the target has a place for it.
func TestSectionsTaken(t *testing.T) {
	all := Wants{Providers: true, Config: true}
	for _, section := range []string{pack.SectionPersonas, pack.SectionSkills, pack.SectionMCPServers, pack.SectionProviders, pack.SectionCore} {
		if !all.takes(section) {
			t.Errorf("%s is not taken", section)
		}
		if (Wants{Providers: true, Config: true, Without: map[string]string{section: "no place"}}).takes(section) {
			t.Errorf("%s is taken where there is no place for it", section)
		}
	}
	if all.takes("plugins") || (Wants{}).takes(pack.SectionProviders) || (Wants{}).takes(pack.SectionCore) {
		t.Error("something is taken that was not asked for")
	}
}

// A setting is judged by the last part of its name, however deep it stands.
func TestSecretSettingsStayOut(t *testing.T) {
	w := &wish{}
	w.setting("dashboard", "astrbot_core.dashboard", map[string]any{"token": "t", "port": 1, "login": map[string]any{"password": "p", "user": "ada", "tokens": 3}, "key": "k", "keyboard": "qwerty"})
	var brought []string
	for _, o := range w.out {
		brought = append(brought, o.ID)
	}
	if want := []string{"dashboard.keyboard", "dashboard.login.tokens", "dashboard.login.user", "dashboard.port"}; !slices.Equal(slices.Sorted(slices.Values(brought)), want) {
		t.Errorf("%v, want %v", brought, want)
	}
	if len(w.left) != 3 {
		t.Errorf("left out: %v", w.left)
	}
	w = &wish{}
	w.setting("k", "astrbot_core.k", "v")
	w.setting("token", "astrbot_core.token", "v")
	if len(w.out) != 1 || w.out[0].ID != "k" {
		t.Errorf("at the root: %v", w.out)
	}
}
