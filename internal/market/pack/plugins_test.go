package pack

import (
	"slices"
	"testing"
)

func TestPlanPlugins(t *testing.T) {
	plugins := map[string]any{
		"weather": map[string]any{"enabled": true, "install_cmd": "pip install git+https://github.com/a/weather"},
		"plain":   map[string]any{"enabled": true},
		"old":     map[string]any{"version": "1.0", "source": "http://a.example/old.zip"},
		"same":    map[string]any{"version": "2.0", "repo": "https://github.com/a/same"},
	}
	plan := PlanPlugins(plugins, nil)
	if plan.Status != PluginsToConfirm || !plan.ConfirmationRequired || !slices.Equal(plan.Required, []string{"old", "same", "weather"}) || !slices.Equal(plan.Missing, plan.Required) || len(plan.Candidates) != 4 {
		t.Errorf("%+v", plan)
	}
	for i, want := range []struct {
		id, risk string
		required bool
	}{{"old", "high", true}, {"plain", "low", false}, {"same", "medium", true}, {"weather", "medium", true}} {
		if c := plan.Candidates[i]; c.PluginID != want.id || c.SourceRisk != want.risk || c.InstallRequired != want.required || c.PresentInRuntime {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	there := PlanPlugins(plugins, map[string]any{"same": plugins["same"], "old": map[string]any{"version": "0.9"}})
	if !slices.Equal(there.Required, []string{"old", "weather"}) || !there.Candidates[2].PresentInRuntime {
		t.Errorf("%+v", there)
	}
	if none := PlanPlugins(map[string]any{"plain": plugins["plain"]}, nil); none.Status != PluginsNotRequired || none.ConfirmationRequired || none.Required == nil {
		t.Errorf("%+v", none)
	}
	if listed := PlanPlugins([]any{map[string]any{"name": "x", "install_cmd": "pip install x"}}, nil); !slices.Equal(listed.Required, []string{"x"}) {
		t.Errorf("%+v", listed)
	}
}
