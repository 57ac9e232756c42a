package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app"
)

// inputs are what each operation needs to succeed beside a caller; those that are not here need nothing.
var inputs = map[string]m{
	"login":                       {"user_id": "ada", "password": apitest.Password},
	"getTemplateDetail":           {"template_id": translator},
	"getProfilePackCatalogDetail": {"pack_id": starter},
	"getTrialStatus":              {"template_id": translator},
	"downloadTemplatePackage":     {"template_id": translator},
	"setPreferenceMode":           {"mode": "inline_execution"},
	"setPreferenceObserve":        {"enabled": true},
	"requestTrial":                {"template_id": translator},
	"installTemplate":             {"template_id": translator},
	"generatePromptBundle":        {"template_id": translator},
	"generatePackage":             {"template_id": translator},
	"uninstallMemberInstallation": {"template_id": translator},
}

var signups atomic.Int64

// input is what op needs to succeed, every time it is asked for.
func input(op apitest.Operation) m {
	in := m{}
	maps.Copy(in, inputs[op.ID])
	if op.ID == "signup" {
		in["user_id"], in["password"] = fmt.Sprintf("newcomer-%d", signups.Add(1)), apitest.Password
	}
	return in
}

// send calls op with values in the query or the body, wherever op takes them.
func send(c *apitest.Client, op apitest.Operation, values m) *apitest.Reply {
	if op.Method == http.MethodGet {
		var query []string
		for name, v := range values {
			query = append(query, name, fmt.Sprint(v))
		}
		return c.Do(op.Method, op.Path+apitest.Query(query...), nil)
	}
	return c.Do(op.Method, op.Path, mustJSON(values))
}

// ready makes sure that op can succeed for a member.
func ready(t testing.TB, s *apitest.Server, op apitest.Operation, userID string) {
	t.Helper()
	if op.ID != "uninstallMemberInstallation" {
		return
	}
	_, err := s.App.InstallTemplate(t.Context(), app.Caller{Role: app.Member, UserID: userID}, app.InstallInput{TemplateID: translator})
	if err != nil {
		t.Fatal(err)
	}
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test's own values
	}
	return text
}
