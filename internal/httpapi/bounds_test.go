package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/market/transfer"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/schooldb"
)

// Of what a member adds again and again the newest stays.
func TestTheNewestIsKept(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		id := ada.Post(questions, m{"atomId": limits, "prompt": "What is a limit?", "accepted": []string{"a value"}}).OK(t).Str("data.questionId")
		for i := range schooldb.KeptQuestionVersions + 3 {
			ada.Post(questions, m{"questionId": id, "prompt": fmt.Sprintf("What is limit %d?", i)}).OK(t)
		}
		if n := s.Count(t, "question_version WHERE owner = 'ada'"); n != schooldb.KeptQuestionVersions {
			t.Errorf("%d versions of a question", n)
		}
		ada.Post(questions, m{"questionId": id, "restoreVersion": 3}).Want(t, 422, "invalid_request")
		want(t, ada.Post(questions, m{"questionId": id, "restoreVersion": 5}).OK(t), m{"data.prompt": "What is limit 3?"})

		write(t, s, func(tx *store.Tx) error {
			for i := range marketdb.KeptTransfers + 5 {
				status := transfer.Done
				if i == 0 {
					status = transfer.Running
				}
				job := marketdb.Transfer{JobID: fmt.Sprintf("job-%05d", i), UserID: "ada", LogicalKey: fmt.Sprint(i), Direction: "upload", JobType: "x", Status: status, Metadata: "{}", CreatedAt: 1, UpdatedAt: int64(i + 1)}
				if _, err := tx.PutTransfer(job); err != nil {
					return err
				}
			}
			for i := range schooldb.KeptReplaced + 7 {
				one := schooldb.Replaced{ID: fmt.Sprintf("r%06d", i), Source: "a", Target: "b", Kind: "replaced", Hash: "h", ValidFrom: int64(i)}
				if err := tx.AddReplaced("ada", one); err != nil {
					return err
				}
			}
			return tx.TrimReplaced("ada")
		})
		for what, want := range map[string]int{
			"transfer_job WHERE user_id = 'ada'": marketdb.KeptTransfers + 1, "transfer_job WHERE user_id = 'ada' AND job_id = 'job-00000'": 1, "transfer_job WHERE user_id = 'ada' AND job_id = 'job-00005'": 1,
			"note_history WHERE owner = 'ada'": schooldb.KeptReplaced, "note_history WHERE owner = 'ada' AND id = 'r000006'": 0,
		} {
			if n := s.Count(t, what); n != want {
				t.Errorf("%d of %s, want %d", n, what, want)
			}
		}
	})
}

// Questions and corrections of a member are refused beyond what a member may have; what makes them shorter is not.
func TestQuestionsAndCorrectionsAreBounded(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": apitest.Notes}).OK(t)
		long := strings.Repeat("x", 4000)
		id := ada.Post(questions, m{"atomId": limits, "prompt": "What is a limit? " + long, "accepted": []string{"a value"}}).OK(t).Str("data.questionId")
		write(t, s, func(tx *store.Tx) error {
			body := []byte(`{"Prompt":"` + strings.Repeat("é", 1<<19) + `"}`)
			for i := range 64 {
				if err := tx.PutQuestion(schooldb.Question{Owner: "ada", ID: fmt.Sprintf("q%d", i), AtomID: "gone", State: "retired", Origin: "own", Version: 1, Body: body}); err != nil {
					return err
				}
			}
			for i := range 20_000 {
				if err := tx.PutCorrection(schooldb.Correction{Owner: "ada", Source: fmt.Sprint("a", i), Target: "b", Changed: 1, CorrectedAt: 1}); err != nil {
					return err
				}
			}
			return nil
		})
		full := func(r *apitest.Reply, kind string) {
			t.Helper()
			if r.Want(t, 409, "quota_exceeded"); r.Str("data.kind") != kind {
				t.Errorf("%s", r.Body)
			}
		}
		full(ada.Post(questions, m{"atomId": limits, "prompt": "What else?", "accepted": []string{"nothing"}}), "question_bytes")
		full(ada.Post(questions, m{"questionId": id, "explanation": "By epsilon."}), "question_bytes")
		ada.Post(questions, m{"questionId": id, "prompt": "What is a limit?"}).OK(t)
		ada.Post(questions, m{"questionId": id, "state": "suspended"}).OK(t)
		s.As(t, "bob").Post(questions, m{"atomId": limits, "prompt": "What else?", "accepted": []string{"nothing"}}).OK(t)
		if n := s.Count(t, "question WHERE owner = 'ada'"); n != 65 {
			t.Errorf("%d questions", n)
		}
		before := s.Rows(t, "note_correction WHERE owner = 'ada'")
		full(ada.Post("/api/knowledge/relations/correct", m{"sourceAtomId": apitest.Atom("ada", "sequences"), "targetAtomId": apitest.Atom("ada", "limits"), "verdict": "unrelated"}), "corrections")
		if s.Rows(t, "note_correction WHERE owner = 'ada'") != before {
			t.Error("a refused correction is kept")
		}
	})
}
