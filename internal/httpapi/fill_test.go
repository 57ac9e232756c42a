package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app/market/browse"
	"stoa/internal/app/school"
	"stoa/internal/httpapi/routes"
)

// TestInto compares the short way into a struct with the long one through JSON.
func TestInto(t *testing.T) {
	for _, values := range []map[string]any{
		{},
		{"query": "a b", "limit": float64(50), "facets": true, "unknown": "x"},
		{"query": "汉字 & <>", "sort_by": "newest", "cursor": ""},
		{"limit": float64(1.5)},
		{"limit": "fifty"},
		{"limit": float64(1e12)},
	} {
		var want browse.ListInput
		text, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		wantErr := json.Unmarshal(text, &want)
		got, gotErr := routes.Into[browse.ListInput](values)
		if (gotErr != nil) != (wantErr != nil) || wantErr == nil && !cmp.Equal(got, want) {
			t.Errorf("into(%v) = %+v, %v; through JSON %+v, %v", values, got, gotErr, want, wantErr)
		}
	}
	in, err := routes.Into[browse.InstallInput](map[string]any{"template_id": "a", "install_options": map[string]any{"preflight": true}})
	if err != nil || in.TemplateID != "a" || !in.Options.Preflight {
		t.Errorf("nested values: %+v, %v", in, err)
	}
}

// What is embedded counts: a user id that is lost on the way would let anybody through.
func TestEmbeddedFieldsAreFilled(t *testing.T) {
	got, err := routes.Into[school.SessionPlanInput](map[string]any{"user_id": "bob", "pathRecommendedActionLimit": float64(3)})
	if err != nil || got.UserID != "bob" || got.Limit != 3 {
		t.Errorf("%+v %v", got, err)
	}
}
