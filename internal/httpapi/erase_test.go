package httpapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/backup"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// word is in everything that the learner of this test writes.
const word = "xylocarpusmaxillary"

// An erased learner's words are nowhere: not in a row of any table, not in the files of the database or the packages, not in
// the log, not in a backup made afterwards; also when they came to three nodes and an object store.
func TestErasedWordsAreNowhere(t *testing.T) {
	erased := func(t *testing.T, s *apitest.Server) {
		before := blobsOf(t, s)
		plantWords(t, s)
		if err := s.App.SetMemberQuota(t.Context(), "bob", core.QuotaDrafts, new(int64(7))); err != nil {
			t.Fatal(err)
		}
		write(t, s, func(tx *store.Tx) error { // a language model proposed questions
			part := schooldb.QuestionPart{UserID: "bob", UnitID: "atm_1", RunID: "run", Pending: []byte(`[{"prompt":"` + word + `"}]`)}
			return errors.Join(tx.PutQuestionPart(part), tx.PutQuestionRun(schooldb.QuestionRun{UserID: "bob", RunID: "run", State: "stopped", Body: []byte(`{"errorMessage":"` + word + `"}`)}))
		})
		s.Restart(t) // which writes out what was in memory
		for _, table := range store.Registry {
			if table.Erase && table.Name != "embedding" && s.Count(t, table.Name+" WHERE "+table.Owner+" = 'bob'") == 0 {
				t.Errorf("nothing was planted in %s: the test does not see whether it is erased", table.Name)
			}
		}
		write(t, s, func(tx *store.Tx) error { // an embedder elsewhere gave it
			return tx.AddEmbeddings("bob", "model", []schooldb.Embedding{{Hash: "hash", Vector: []byte(word)}})
		})
		var export bytes.Buffer
		if _, err := s.App.ExportLearner(t.Context(), "bob", &export); err != nil {
			t.Fatal(err)
		}
		for _, table := range store.Registry {
			if table.Export && !strings.Contains(export.String(), `"table":"`+table.Name+`"`) {
				t.Errorf("the export has nothing of %s", table.Name)
			}
		}
		if !strings.Contains(export.String(), word) {
			t.Error("the export has no word of the learner")
		}
		if behind := time.Since(s.Clock.Now()); behind > 0 { // files have the machine's time
			s.Clock.Advance(behind + time.Minute)
		}
		if n, err := s.App.EraseLearner(t.Context(), core.Caller{UserID: "operator"}, "bob"); err != nil || n < 30 {
			t.Fatalf("%d rows: %v", n, err)
		}
		for _, table := range store.Registry {
			if table.Erase && s.Count(t, table.Name+" WHERE "+table.Owner+" = 'bob'") > 0 {
				t.Errorf("%s still has rows of the learner", table.Name)
			}
			if table.Backup && strings.Contains(strings.ToLower(s.Rows(t, table.Name)), word) {
				t.Errorf("%s still has a word of the learner", table.Name)
			}
		}
		if strings.Contains(strings.ToLower(s.Log()), word) {
			t.Errorf("the log has a word of the learner")
		}
		if s.Faults != nil { // an object store has them put aside, until the sweep has seen them there for two hours
			s.Clock.Advance(3 * time.Hour)
			if _, err := s.App.SweepOrphans(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for digest := range blobsOf(t, s) {
			if !before[digest] {
				t.Errorf("the package %s, which came with the learner's words, is still there", digest)
			}
		}
		searchFiles(t, s.Data)
		searchBackup(t, s)
	}
	apitest.Each(t, apitest.Options{}, erased)
	apitest.OnNodes(t, apitest.Options{}, erased)
}

// blobsOf gives the digests of all that is kept as a file.
func blobsOf(t *testing.T, s *apitest.Server) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	if err := s.Blobs.Each(t.Context(), s.Clock.Now().AddDate(100, 0, 0), func(digest string) error { all[digest] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// plantWords writes the word through every operation that takes a learner's text.
func plantWords(t *testing.T, s *apitest.Server) {
	t.Helper()
	bob := s.As(t, "bob")
	long := strings.Repeat("A long passage about "+word+" and what it needs. ", 200)
	note := func(id, text string) m { return m{"id": id + word, "path": word + "/" + id + ".md", "text": text} }
	bob.With("Idempotency-Key", "notes-1").Post("/api/knowledge/ingest", m{"documents": []m{
		note("a", "# A "+word+"\n\nThe "+word+" is a thing that rests on the other.\n\n"+long),
		note("b", "# B "+word+"\n\nRequires [[a"+word+"]].\n\nB of "+word+" adds a second.\n"),
	}}).OK(t)
	bob.Post("/api/knowledge/ingest", m{"documents": []m{note("a", "# A "+word+"\n\nRewritten "+word+".\n")}, "deletedDocuments": []m{{"documentId": "c" + word}}}).OK(t)
	bob.Post("/api/knowledge/ingest", m{"documents": []m{note("c", "# C\n\nGone soon: "+word+".\n")}}).OK(t)
	bob.Post("/api/knowledge/ingest", m{"deletedDocuments": []m{{"documentId": "c" + word}}}).OK(t)
	a, b := apitest.Atom("bob", "a"+word), apitest.Atom("bob", "b"+word)
	bob.Post("/api/knowledge/relations/correct", m{"sourceAtomId": b, "targetAtomId": a, "verdict": "prerequisite"}).OK(t)
	bob.Post("/api/knowledge/query", m{"query": "what is " + word}).OK(t)
	bob.With("Idempotency-Key", "diagnose-1").Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": a, "outcome": "fail", "errorTag": "concept_boundary"}}}).OK(t)
	bob.Post("/api/knowledge/tutor/action", m{"atomId": a, "prompt": "why " + word, "answer": "because " + word}).OK(t)
	bob.Post("/api/knowledge/session/orchestration/config", m{"strategyMinConfidence": 0.9, "studySettings": m{"difficultyShared": true}}).OK(t)
	bob.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": apitest.Atom("", "sequences")}, "outcome": "correct"}).OK(t)
	plan := bob.Post("/api/knowledge/session/plan", m{"maxActions": 3}).OK(t).At("data")
	answers := m{a: "my answer " + word, b: "another " + word, limits: word}
	for _, header := range [][2]string{{"Idempotency-Key", "s-1"}, {"X-Request-Id", "r-1"}, {"X-Other", "none"}} {
		bob.With(header[0], header[1]).Post("/api/knowledge/session/execute", m{
			"sessionPlan": plan, "answersByAtomId": answers, "persistMemory": true, "autoPromoteMemory": true, "promoteMemoryMinConfidence": 0,
		}).OK(t)
	}
	bob.Post("/api/knowledge/session/execute", m{"focusAtomIds": []string{a, b}, "answersByAtomId": answers, "outcomesByAtomId": m{a: "correct", b: "fail"}}).OK(t)
	bob.Post("/api/knowledge/session/action", m{"action": m{"atomId": a, "kind": "quiz", "title": word}, "answer": word, "outcome": "partial", "persistMemory": true}).OK(t)
	bob.Post("/api/knowledge/anki/import", m{"filename": word, "content_base64": base64.StdEncoding.EncodeToString(capitals)}).OK(t)
	deck, _ := readPackage(t, capitals)
	bob.Post("/api/knowledge/session/action", m{"action": m{"atomId": graph.AtomID("bob", anki.DocumentID(&deck.Notes[0], 0)+"::"), "kind": "quiz"}, "outcome": "good"}).OK(t)
	bob.Post("/api/knowledge/anki/sync", m{}).OK(t)
	own := bob.Post("/api/knowledge/questions", m{"atomId": a, "prompt": "What is " + word + "?", "accepted": []string{word}}).OK(t).Str("data.questionId")
	bob.Post("/api/knowledge/questions", m{"questionId": own, "prompt": "Why is " + word + "?", "report": word}).OK(t)
	bob.Post("/api/knowledge/questions", m{"questionId": own, "keep": true}).OK(t)
	for _, op := range apitest.Operations() {
		switch op.ID {
		case "captureQuality", "setQualityBaseline", "verifyCapability", "recordRemediation", "evaluateSessionPlan", "getActionQueue":
			in := input(op)
			in["detail"], in["triggerReason"], in["note"], in["label"], in["sessionPlan"] = word, word, word, word, plan
			if r := send(bob, op, in); r.Status != 200 {
				t.Errorf("%s: %d %s", op.ID, r.Status, r.Body)
			}
		}
	}
	bob.Get("/api/knowledge/session/history", "executionKind", word)
	bob.With("User-Agent", word).Get("/api/knowledge/documents", "limit", "1").OK(t)
	bob.Get("/api/runtime-request-trace").OK(t) // writes out the records
}

func searchFiles(t *testing.T, dir string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		bytesOf, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		if n := bytes.Count(bytes.ToLower(bytesOf), []byte(word)); n > 0 {
			t.Errorf("%s has the word %d times", filepath.Base(path), n)
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files looked at: %v", seen, err)
	}
}

func searchBackup(t *testing.T, s *apitest.Server) {
	t.Helper()
	var file bytes.Buffer
	source := backup.Source{Store: s.Store, Blobs: s.Blobs, Clock: s.Clock.Now, Version: "test"}
	if _, err := source.Write(context.Background(), &file, nil, t.TempDir(), func(string, int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil || !bytes.Contains(text, []byte("rows/note/")) {
		t.Fatalf("%d bytes of backup: %v", len(text), err)
	}
	if bytes.Contains(bytes.ToLower(text), []byte(word)) {
		t.Error("a backup made afterwards has a word of the learner")
	}
}

func write(t testing.TB, s *apitest.Server, fn func(*store.Tx) error) {
	t.Helper()
	if err := s.Store.Write(context.Background(), fn); err != nil {
		t.Fatal(fmt.Errorf("write: %w", err))
	}
}
