package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/platform/store"
)

const undoPath = "/api/knowledge/session/undo"

// learnerRows are all rows of a learner that a session may change, as text. What stays of a session that was taken back is left
// out: quotas, answers to repeated requests, the journals themselves, and the learner's version.
func learnerRows(t *testing.T, s *apitest.Server, users ...string) string {
	t.Helper()
	var lines []string
	for _, table := range store.Registry {
		if table.Area != store.AreaLearners && table.Name != "question" || table.Name == "session_undo" || table.Name == "query_sample" {
			continue
		}
		for _, user := range users {
			if err := s.App.Store.RowsOf(t.Context(), table, user, func(row map[string]any) error {
				if table.Name == "learner" {
					for _, moving := range []string{"version", "rewound", "updated_at"} {
						delete(row, moving)
					}
					if fmt.Sprint(row["observations"]) == "0" {
						return nil
					}
				}
				for name, v := range row {
					if b, ok := v.([]byte); ok {
						row[name] = string(b)
					}
				}
				if user == "" && table.Name == "strategy_evidence" {
					delete(row, "updated_at")
				}
				text, err := json.Marshal(row)
				lines = append(lines, table.Name+" "+string(text))
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// lasting leaves out what has expired by now: the server may remove it at any moment.
func lasting(s *apitest.Server, rows string) string {
	lines := strings.Split(rows, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		row, ok := strings.CutPrefix(line, "memory_entry ")
		var entry struct {
			ExpiresAt int64 `json:"expires_at"`
		}
		return ok && json.Unmarshal([]byte(row), &entry) == nil && entry.ExpiresAt > 0 && entry.ExpiresAt <= s.Clock.Now().UnixMicro()
	}), "\n")
}

// Over random histories each session that is taken back leaves every row as it was before it, and the states follow from the log.
func TestTakingBackASessionLeavesNothingOfIt(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		r := rand.New(rand.NewPCG(18, 5))
		words := []string{"correct", "partial", "incorrect", "skipped", "again", "hard", "good", "easy"}
		execute := func(c *apitest.Client, headers ...string) *apitest.Reply {
			plan := c.Post("/api/knowledge/session/plan", m{"maxActions": 1 + r.IntN(8)}).OK(t)
			body := m{"sessionPlan": plan.At("data")}
			outcomes, answers, times := m{}, m{}, m{}
			for _, one := range plan.At("data.actions").([]any) {
				id := one.(map[string]any)["id"].(string)
				if r.IntN(5) > 0 {
					outcomes[id] = words[r.IntN(len(words))]
				}
				if r.IntN(3) == 0 {
					answers[id] = "an answer about the limit of a function"
				}
				times[id] = 1000 + r.IntN(60000)
			}
			body["outcomesByActionId"], body["answersByActionId"], body["responseTimesByActionId"] = outcomes, answers, times
			if r.IntN(2) == 0 {
				body["persistMemory"], body["autoPromoteMemory"], body["promoteMemoryMinConfidence"], body["promoteMemoryRemoveFromSource"] = true, r.IntN(2) == 0, 0, r.IntN(2) == 0
			}
			if r.IntN(3) == 0 {
				body["executedAt"] = s.Clock.Now().Add(-time.Duration(r.IntN(600)) * time.Minute).Format(time.RFC3339)
			}
			if len(headers) > 0 {
				c = c.With(headers[0], headers[1])
			}
			return c.Post("/api/knowledge/session/execute", body).OK(t)
		}
		var states []string // ahead of each session that stands
		var ids []string
		undone := 0
		for i := range 40 {
			s.Clock.Advance(time.Duration(1+r.IntN(2000)) * time.Minute)
			ada, bob := s.As(t, "ada"), s.As(t, "bob") // sessions end
			if i%3 == 2 {
				execute(bob) // somebody else goes on meanwhile; sums over all learners keep what is theirs
			}
			if len(states) > 0 && r.IntN(3) == 0 {
				others := learnerRows(t, s, "bob")
				back := ada.Post(undoPath, m{}).OK(t)
				last := len(states) - 1
				if back.Str("data.sessionId") != ids[last] {
					t.Fatalf("took back %s, not %s", back.Str("data.sessionId"), ids[last])
				}
				if was, is := lasting(s, states[last]), lasting(s, learnerRows(t, s, "ada")); is != was {
					t.Fatalf("step %d: not what it was\nwas %s\nis  %s", i, difference(was, is), difference(is, was))
				}
				if lasting(s, learnerRows(t, s, "bob")) != lasting(s, others) {
					t.Fatal("somebody else's rows changed")
				}
				if why, _, err := s.Home(t, "ada").CheckLearner(t.Context(), "ada"); why != "" || err != nil {
					t.Fatalf("step %d: %q %v", i, why, err)
				}
				// The same again changes nothing and is answered alike.
				again := ada.Post(undoPath, m{"sessionId": ids[last]}).OK(t)
				if again.Str("data.undoneAt") != back.Str("data.undoneAt") || again.At("data.more") != back.At("data.more") || lasting(s, learnerRows(t, s, "ada")) != lasting(s, states[last]) {
					t.Fatalf("a second time: %s", again.Body)
				}
				states, ids, undone = states[:last], ids[:last], undone+1
				continue
			}
			before := learnerRows(t, s, "ada")
			ids = append(ids, execute(ada).Str("data.record.id"))
			states = append(states, before)
		}
		if undone < 8 {
			t.Errorf("only %d were taken back", undone)
		}
		if n := s.Count(t, "audit_event WHERE action = 'learning.session_undone'"); n != undone {
			t.Errorf("%d events of %d", n, undone)
		}
		// Sums over all learners are those of the sessions that stand.
		n := int64(0)
		for _, a := range s.App.Learners() {
			all, err := a.Store.AllStudySums(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, sum := range all {
				n += sum.Sessions
			}
		}
		if int64(s.Count(t, "study_session")) != n {
			t.Errorf("%d sessions in the sums, %d stand", n, s.Count(t, "study_session"))
		}
	})
}

// What was sent before it was taken back does not come back by a late repeat; what is not the last is refused; a key is answered alike.
func TestTakingBackOnceAndInTurn(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post(undoPath, m{}).Want(t, 404, "not_found")
		ada.Post(undoPath, m{"sessionId": "none"}).Want(t, 404, "not_found")
		body := m{"outcomesByAtomId": m{limits: "easy"}, "sessionPlan": m{"actions": []m{{"atomId": limits, "kind": "quiz"}}}}
		first := ada.With("Idempotency-Key", "s-1").Post("/api/knowledge/session/execute", body).OK(t)
		if g := s.Count(t, "observation WHERE user_id = 'ada' AND grade = 4 AND outcome = 'correct'"); g != 1 {
			t.Errorf("the button is not in the log: %d", g)
		}
		second := ada.Post("/api/knowledge/session/execute", body).OK(t)
		ada.Post(undoPath, m{"sessionId": first.Str("data.record.id")}).Want(t, 409, "study_session_not_last")
		s.As(t, "bob").Post(undoPath, m{"sessionId": second.Str("data.record.id")}).Want(t, 404, "not_found")
		ada.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": limits, "outcome": "good"}}}).OK(t)
		ada.Post(undoPath, m{"sessionId": second.Str("data.record.id")}).Want(t, 409, "study_session_not_last")

		third := ada.With("Idempotency-Key", "s-3").Post("/api/knowledge/session/execute", body).OK(t)
		one := ada.With("Idempotency-Key", "u-3").Post(undoPath, m{}).OK(t)
		want(t, one, m{"data.sessionId": third.Str("data.record.id"), "data.answers": 1, "data.more": false})
		two := ada.With("Idempotency-Key", "u-3").Post(undoPath, m{}).OK(t)
		want(t, two, m{"data.sessionId": third.Str("data.record.id"), "data.idempotent_replay": true})
		ada.With("Idempotency-Key", "s-3").Post("/api/knowledge/session/execute", body).Want(t, 409, "study_session_taken_back")
		again := ada.With("Idempotency-Key", "s-1").Post("/api/knowledge/session/execute", body).OK(t)
		want(t, again, m{"data.record.id": first.Str("data.record.id"), "data.idempotent_replay": true})
		if n := s.Count(t, "study_session WHERE user_id = 'ada'"); n != 2 {
			t.Errorf("%d sessions", n)
		}
		history := ada.Get("/api/knowledge/session/history").OK(t)
		want(t, history, m{"data.page.totalFilteredRecords": 2})
		ada.Post("/api/knowledge/session/execute", body).OK(t)
		ada.Post("/api/knowledge/session/execute", body).OK(t)
		want(t, ada.Post(undoPath, m{}).OK(t), m{"data.more": true})
	})
}

// difference is the lines of a that b does not have.
func difference(a, b string) string {
	there := strings.Split(b, "\n")
	lines := slices.DeleteFunc(strings.Split(a, "\n"), func(line string) bool { return slices.Contains(there, line) })
	text := strings.Join(lines, "\n")
	return text[:min(len(text), 1500)]
}
