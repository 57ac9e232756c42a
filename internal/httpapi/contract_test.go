package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/web"
)

func TestTableAndContractNameTheSameOperations(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{Empty: true})
	start := func() string {
		_, err := httpapi.New(s.App, httpapi.Config{Clock: s.Clock.Now, Pages: web.Files()})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	if problem := start(); problem != "" {
		t.Fatal(problem)
	}
	for _, op := range apitest.Operations() {
		httpapi.WithoutRow(op.ID, func() {
			if got := start(); !strings.Contains(got, op.ID+" of the contract") {
				t.Errorf("without the row of %s: %q", op.ID, got)
			}
		})
	}
	httpapi.WithRow("openTheTill", func() {
		if got := start(); !strings.Contains(got, "openTheTill of the table") {
			t.Errorf("with a row too many: %q", got)
		}
	})
}

func TestErrorCodesAreThoseOfTheContract(t *testing.T) {
	documented := apitest.ErrorCodes()
	for code, status := range httpapi.StatusOf {
		if !slices.Contains(documented, string(code)) {
			t.Errorf("%s is sent and not documented", code)
		}
		if status < 400 || status > 599 {
			t.Errorf("%s has status %d", code, status)
		}
	}
	for _, code := range documented {
		if !slices.ContainsFunc(keys(httpapi.StatusOf), func(c string) bool { return c == code }) {
			t.Errorf("%s is documented and never sent", code)
		}
	}
}

func keys[K ~string, V any](all map[K]V) (out []string) {
	for k := range all {
		out = append(out, string(k))
	}
	return out
}

func TestRoutesDocumentTheirFailures(t *testing.T) {
	for _, op := range apitest.Operations() {
		if op.Media["200"] == nil || op.Media["default"] == nil {
			t.Errorf("%s documents %v, want at least 200 and default", op.ID, op.Media)
		}
	}
}

// The examples are what a newcomer copies: each must be taken as it stands.
func TestExamplesOfTheContractAreAccepted(t *testing.T) {
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		if err := s.App.AddMember(t.Context(), apitest.DefaultMember, apitest.Password); err != nil {
			t.Fatal(err)
		}
		ada := s.As(t, "ada")
		for _, id := range examplesInOrder() {
			op := operation(t, id)
			if len(op.Properties()) == 0 {
				continue
			}
			if op.Example == nil {
				t.Errorf("%s shows no example", op.ID)
				continue
			}
			example := maps.Clone(op.Example.(m))
			if name := things[op.ID]; name != "" {
				example[name] = thing(t, s, op, "ada") // what the example is about, nobody has
			}
			if op.ID == "addTrustedPublisher" {
				example["issuer"] = apitest.Pipelines().URL // servers of tests take no other
			}
			r := ada.Post(op.Path, example)
			want := 200
			switch op.ID {
			case "signup":
				want = 409 // ada is a member here already
			case "addPasskey", "loginWithPasskey", "exchangeToken":
				want = 401 // no example is signed by a key
			case "renamePasskey", "answerRating", "reportRating", "withdrawMemberItem":
				want = 404
			case "saveRating":
				want = 403 // it is not installed
			case "confirmNotificationMail", "chooseLearned", "runProposals": // no code was sent; the section is nobody's; there is no model
				want = 422
			}
			if r.Status != want {
				t.Errorf("%s: %d %s", op.ID, r.Status, r.Body)
			}
		}
	})
}

// examplesInOrder lists the operations so that what is uninstalled has been installed before.
func examplesInOrder() (ids []string) {
	last := []string{"uninstallMemberInstallation", "changePassword", "endOwnSessions"}
	for _, op := range apitest.Operations() {
		if !slices.Contains(last, op.ID) {
			ids = append(ids, op.ID)
		}
	}
	return append(ids, last...)
}

func operation(t testing.TB, id string) apitest.Operation {
	t.Helper()
	for _, op := range apitest.Operations() {
		if op.ID == id {
			return op
		}
	}
	t.Fatalf("there is no operation %s", id)
	return apitest.Operation{}
}
