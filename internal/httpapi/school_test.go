package httpapi_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

var limits = apitest.Atom("", "limits")

// Notes become a plan, the plan a session, and what is answered changes what comes next.
func TestNotesToSessionToNextPlan(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		r := bob.Post("/api/knowledge/ingest", m{"documents": []m{
			{"id": "groups", "path": "algebra/groups.md", "text": "# Groups\n\nA group is a set with an associative operation, an identity and inverses.\n"},
			{"docId": "rings", "file": "algebra/rings.md", "body": "# Rings\n\nRequires [[groups]].\n\nA ring adds a second operation.\n"},
		}}).OK(t)
		if r.Int("data.summary.changedDocuments") != 2 {
			t.Fatalf("%s", r.Body)
		}
		again := bob.Post("/api/knowledge/ingest", m{"documents": []m{{"id": "groups", "path": "algebra/groups.md", "text": "# Groups\n\nA group is a set with an associative operation, an identity and inverses.\n"}}}).OK(t)
		if again.Str("data.staleness.0.status") != "unchanged" || again.Int("data.summary.changedDocuments") != 0 {
			t.Errorf("%s", again.Body)
		}
		groups, rings := apitest.Atom("bob", "groups"), apitest.Atom("bob", "rings")
		plan := bob.Post("/api/knowledge/session/plan", m{"focusAtomIds": rings, "maxActions": 2, "strategy": "mastery_recovery"}).OK(t)
		if plan.Str("data.actions.0.atomId") != groups || plan.Str("data.signals.orchestration.pathStrategySelectionSource") != "explicit_request" {
			t.Errorf("groups come before rings: %s", plan.Body)
		}
		done := bob.Post("/api/knowledge/session/execute", m{"sessionPlan": plan.At("data"), "outcomesByAtomId": m{groups: "wrong", rings: "correct"}}).OK(t)
		if done.Int("data.summary.updatedMasteryCount") != 2 || done.Int("data.summary.explicitMasteryCount") != 2 || done.Str("data.record.pathStrategy") != "mastery_recovery" ||
			done.Str("data.retestPlan.actions.0.atomId") != groups {
			t.Errorf("%s", done.Body)
		}
		next := bob.Post("/api/knowledge/session/plan", m{"focusAtomIds": []string{groups, rings}, "limit": 2}).OK(t)
		if next.Str("data.actions.0.atomId") != groups || next.Str("data.actions.0.reason.rule") == "outer_fringe" {
			t.Errorf("what failed is not taken up: %s", next.Body)
		}
		if difference, n, err := s.Home(t, "bob").CheckLearner(t.Context(), "bob"); err != nil || difference != "" || n != 2 {
			t.Errorf("rebuilt from %d observations: %q %v", n, difference, err)
		}
		// Nobody else sees any of it.
		for _, path := range []string{"/api/knowledge/documents", "/api/knowledge/graph"} {
			if body := s.As(t, "cyn").Get(path).OK(t).Body; bytes.Contains(body, []byte("groups")) || bytes.Contains(body, []byte("Groups")) {
				t.Errorf("%s shows bob's notes: %s", path, body)
			}
		}
		if body := s.As(t, "cyn").Post("/api/knowledge/query", m{"query": "group operation inverses"}).OK(t).Body; bytes.Contains(body, []byte("Groups")) {
			t.Errorf("a question finds bob's notes: %s", body)
		}
		s.As(t, "cyn").Post("/api/knowledge/tutor/action", m{"atomId": groups}).Want(t, 422, "invalid_request")
		s.As(t, "cyn").Post("/api/knowledge/session/execute", m{"sessionPlan": plan.At("data")}).Want(t, 403, "permission_denied")
	})
}

// A request that is sent again has one effect, also when many copies come at once; two different ones take turns.
func TestExecuteOnceAndInTurn(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		plan := ada.Post("/api/knowledge/session/plan", m{"maxActions": 3}).OK(t)
		body := m{"sessionPlan": plan.At("data"), "outcomesByAtomId": m{plan.Str("data.actions.0.atomId"): "correct"}, "actionLimit": 3}
		var group sync.WaitGroup
		answers := make([]string, 12)
		for i := range answers {
			group.Go(func() {
				r := ada.For(t).With("Idempotency-Key", "once").Post("/api/knowledge/session/execute", body)
				if r.Status != 200 {
					t.Errorf("%d: %s", r.Status, r.Body)
				}
				answers[i] = r.Str("data.record.id")
			})
			group.Go(func() {
				r := ada.For(t).With("Idempotency-Key", fmt.Sprint("each-", i)).Post("/api/knowledge/session/execute", body)
				if r.Status != 200 {
					t.Errorf("%d: %s", r.Status, r.Body)
				}
			})
		}
		group.Wait()
		for _, id := range answers {
			if id != answers[0] || id == "" {
				t.Errorf("one key gave %q and %q", answers[0], id)
			}
		}
		if n := s.Count(t, "study_session WHERE user_id = 'ada'"); n != len(answers)+1 {
			t.Errorf("%d sessions, want %d", n, len(answers)+1)
		}
		difference, n, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada")
		if err != nil || difference != "" || n == 0 {
			t.Errorf("the states do not follow from the %d observations: %q %v", n, difference, err)
		}
		ada.With("Idempotency-Key", "once").Post("/api/knowledge/session/execute", m{"actionLimit": 1}).Want(t, 409, "idempotency_key_conflict")
		first := ada.With("X-Request-Id", "again-1").Post("/api/knowledge/session/execute", m{"actionLimit": 1}).OK(t)
		second := ada.With("X-Request-Id", "again-1").Post("/api/knowledge/session/execute", m{"actionLimit": 1}).OK(t)
		if first.Str("data.record.id") != second.Str("data.record.id") || second.At("data.idempotent_replay") != true {
			t.Errorf("a repeated request id ran twice: %s", second.Body)
		}
	})
}

// Every alias of the contract's part 4 does what its first name does.
func TestSchoolAliases(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for path, fields := range map[string]map[string][]string{
			"/api/knowledge/path": {
				"data.summary.strategy":               {"strategy", "pathStrategy", "path_strategy", "learningPathStrategy", "learningStrategy"},
				"data.summary.recommendedActionLimit": {"recommendedActionLimit", "recommended_action_limit", "maxActions", "limit"},
			},
			"/api/knowledge/session/plan": {
				"data.summary.pathStrategy":               {"pathStrategy", "path_strategy", "learningPathStrategy", "strategy"},
				"data.summary.pathRecommendedActionLimit": {"pathRecommendedActionLimit", "path_recommended_action_limit", "recommendedActionLimit", "recommended_action_limit"},
			},
			"/api/knowledge/session/execute": {
				"data.record.pathStrategy":               {"pathStrategy", "path_strategy", "learningPathStrategy", "strategy"},
				"data.record.pathRecommendedActionLimit": {"pathRecommendedActionLimit", "path_recommended_action_limit", "recommendedActionLimit", "recommended_action_limit"},
			},
			"/api/knowledge/session/history": {
				"data.summary.appliedFilters.pathStrategy":                {"pathStrategy", "path_strategy", "learningPathStrategy", "strategy"},
				"data.summary.appliedFilters.pathStrategySelectionSource": {"pathStrategySelectionSource", "path_strategy_selection_source", "selectionSource", "strategy_source"},
				"data.summary.appliedFilters.sinceMinutes":                {"sinceMinutes", "since_minutes", "windowMinutes", "window_minutes"},
				"data.summary.appliedFilters.limit":                       {"limit"},
			},
			"/api/knowledge/session/orchestration/config": {
				"data.strategyAutoPathEnabled": {"strategyAutoPathEnabled", "strategy_auto_path_enabled", "autoPathEnabled"},
				"data.strategyMinConfidence":   {"strategyMinConfidence", "strategy_min_confidence", "autoPathMinConfidence"},
			},
		} {
			for answer, names := range fields {
				for _, name := range names {
					var value any = "exploration_boost"
					switch low := strings.ToLower(answer); {
					case strings.Contains(low, "source"):
						value = "explicit_request"
					case strings.Contains(low, "limit"), strings.Contains(low, "minutes"):
						value = 7.0
					case strings.Contains(low, "enabled"):
						value = false
					case strings.Contains(low, "confidence"):
						value = 0.9
					}
					if r := ada.Post(path, m{name: value}).OK(t); r.At(answer) != value {
						t.Errorf("POST %s with %s: %s is %v", path, name, answer, r.At(answer))
					}
					if strings.HasSuffix(path, "history") {
						if r := ada.Get(path, name, fmt.Sprint(value)).OK(t); r.At(answer) != value {
							t.Errorf("GET %s with %s: %s is %v", path, name, answer, r.At(answer))
						}
					}
				}
			}
		}
	})
}

// Filters and counts of the history are exact before the limit, and a page follows a page.
func TestSessionHistoryCountsAll(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for i := range 7 {
			strategy := []string{"balanced", "mastery_recovery"}[i%2]
			ada.Post("/api/knowledge/session/execute", m{"strategy": strategy, "actionLimit": 1, "outcomesByAtomId": m{limits: "correct"}}).OK(t)
			s.Clock.Advance(11 * time.Minute)
		}
		r := ada.Get("/api/knowledge/session/history", "limit", "2", "pathStrategy", "balanced").OK(t)
		if r.Int("data.summary.matchedRecordsBeforeLimit") != 4 || r.Len("data.records") != 2 || r.At("data.page.hasMore") != true ||
			r.Int("data.summary.pathStrategySelectionSourceCounts.explicit_request") != 4 {
			t.Errorf("%s", r.Body)
		}
		seen := map[string]bool{}
		for cursor := ""; ; {
			page := ada.Get("/api/knowledge/session/history", "limit", "2", "cursor", cursor).OK(t)
			for _, id := range page.All("data.records", "id") {
				seen[id] = true
			}
			if cursor = page.Str("data.next_cursor"); cursor == "" {
				break
			}
		}
		if len(seen) != 7 {
			t.Errorf("%d of 7 sessions by pages", len(seen))
		}
		if r := ada.Get("/api/knowledge/session/history", "sinceMinutes", "34").OK(t); r.Int("data.summary.matchedRecordsBeforeLimit") != 3 || r.Len("data.records") != 3 {
			t.Errorf("in the last 34 minutes: %s", r.Body)
		}
		if r := ada.Get("/api/knowledge/session/history", "strategy", "no-such", "selectionSource", "x").OK(t); r.Int("data.summary.totalRecords") != 7 {
			t.Errorf("an unknown word is no filter: %s", r.Body)
		}
	})
}

// A circle of prerequisites is broken and told; a learner's word on a relation wins and can be taken back.
func TestRelationsAreCorrected(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		r := bob.Post("/api/knowledge/ingest", m{"documents": []m{
			{"id": "a", "path": "a.md", "text": "# A\n\nA sequence of sets is nested when each contains the next.\n\nRequires [[b]].\n"}, {"id": "b", "path": "b.md", "text": "# B\n\nA set is compact when every open cover has a finite part that covers it.\n\nRequires [[a]].\n"},
		}}).OK(t)
		if r.Len("data.cycles") != 1 {
			t.Fatalf("the circle is not told: %s", r.Body)
		}
		if g := bob.Get("/api/knowledge/graph").OK(t); g.Len("data.cycles") != 1 || len(fmt.Sprint(g.At("data.cycles.0.titles"))) != len("[A B]") {
			t.Errorf("the graph does not tell the circle: %v", g.At("data.cycles"))
		}
		a, b := apitest.Atom("bob", "a"), apitest.Atom("bob", "b")
		needs := func() string {
			out := ""
			for _, e := range bob.Get("/api/knowledge/graph").OK(t).At("data.edges").([]any) {
				edge := e.(map[string]any)
				if edge["relationKind"] == "prerequisite" && (edge["sourceAtomId"] == a || edge["sourceAtomId"] == b) {
					out += strings.NewReplacer(a, "a", b, "b").Replace(fmt.Sprint(edge["sourceAtomId"], "→", edge["targetAtomId"], " "))
				}
			}
			return out
		}
		for verdict, want := range map[string]string{"prerequisite": "a→b ", "reverse": "b→a ", "unrelated": ""} {
			bob.Post("/api/knowledge/relations/correct", m{"sourceAtomId": a, "targetAtomId": b, "verdict": verdict}).OK(t)
			if got := needs(); got != want {
				t.Errorf("%s gives %q, want %q", verdict, got, want)
			}
		}
		s.Restart(t)
		bob = s.As(t, "bob")
		if got := needs(); strings.Count(got, "→") > 1 {
			t.Errorf("after a restart %q", got)
		}
	})
}

// What one node takes in another knows, and what is erased is gone everywhere.
func TestNotesOnTwoNodesAndErasure(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": limits, "outcome": "fail", "errorTag": "concept_boundary"}}}).OK(t)
		if r := ada.Post("/api/knowledge/mastery/misconceptions", m{}).OK(t); r.Str("data.items.0.tag") != "concept_boundary" {
			t.Errorf("%s", r.Body)
		}
		var file bytes.Buffer
		if n, err := s.App.ExportLearner(t.Context(), "ada", &file); err != nil || n < 5 || !bytes.Contains(file.Bytes(), []byte(`"observation"`)) {
			t.Errorf("%d rows exported: %v\n%s", n, err, &file)
		}
		if n, err := s.App.EraseLearner(t.Context(), core.Caller{UserID: "operator"}, "ada"); err != nil || n < 5 {
			t.Errorf("%d rows erased: %v", n, err)
		}
		r := ada.Get("/api/knowledge/graph").OK(t)
		if r.Int("data.counts.concepts") != len(apitest.Notes) || r.Int("data.counts.learning") != 0 {
			t.Errorf("something of ada is left: %s", r.Body)
		}
		if left := s.Rows(t, "learner WHERE user_id = 'ada'", "observation WHERE user_id = 'ada'", "note WHERE owner = 'ada'"); strings.Contains(left, "limits") {
			t.Errorf("rows are left: %s", left)
		}
	})
}
