package httpapi_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/llm"
	"stoa/internal/platform/store"
)

// proposalRecord is what a model said of the notes below, and of their questions.
//
//go:embed testdata/proposals.json
var proposalRecord []byte

const (
	osmosis   = "# Osmosis\n\nIn osmosis water passes a membrane that holds the solute back, from the side with less solute to the side with more. It ends when the pressure on the fuller side pushes the water back.\n\nThe lab is on the second floor. Its key is AKIAIOSFODNN7EXAMPLE, ghp_16C7e42F292c6912E7710c838347Ae178B4a.\n"
	diffusion = "# Diffusion\n\nDiffusion evens out the concentration of a substance, since its particles move about by chance.\n"

	proposalsPath = "/api/knowledge/proposals"
	estimatePath  = proposalsPath + "/estimate"
	runPath       = proposalsPath + "/run"
)

// recorded answers as the recording does.
func recorded(t *testing.T) func(material string) (int, string) {
	var record struct{ Notes, Questions map[string]string }
	if err := json.Unmarshal(proposalRecord, &record); err != nil {
		t.Fatal(err)
	}
	return func(material string) (int, string) {
		var got struct {
			Note     struct{ Title string }
			Question string
		}
		if err := json.Unmarshal([]byte(material), &got); err != nil {
			return 400, ""
		}
		if got.Question != "" {
			return 200, record.Questions[got.Question]
		}
		return 200, record.Notes[got.Note.Title]
	}
}

func proposalNotes(t *testing.T, ada *apitest.Client) {
	t.Helper()
	ada.Post("/api/knowledge/ingest", m{"documents": []m{note("osmosis", osmosis), note("diffusion", diffusion)}}).OK(t)
}

// begin starts a run by what its estimate says.
func begin(t *testing.T, ada *apitest.Client, scope m) *apitest.Reply {
	t.Helper()
	var query []string
	body := m{"action": "start"}
	for key, value := range scope {
		query, body[key] = append(query, key, fmt.Sprint(value)), value
	}
	body["estimateId"] = ada.Get(estimatePath, query...).OK(t).Str("data.estimateId")
	return ada.Post(runPath, body).OK(t)
}

// eachEngine runs a test on each engine, beside each other: what is shared between them is made in the test.
func eachEngine(t *testing.T, test func(t *testing.T, engine apitest.Engine)) {
	t.Helper()
	for _, engine := range apitest.Engines(t) {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

func work(t *testing.T, s *apitest.Server) {
	t.Helper()
	if err := s.App.ProposeDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAModelProposesQuestions(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine apitest.Engine) {
		local, model := startModel(t, "local")
		s := apitest.Start(t, engine, apitest.Options{TutorModels: []core.TutorModel{model}, App: func(c *core.Config) { c.ModelCallPrice = .002 }})
		local.set(recorded(t))
		ada := s.As(t, "ada")
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run": nil, "data.total": 0})
		proposalNotes(t, ada)
		before := local.count()
		all := ada.Get(estimatePath).OK(t)
		if all.Int("data.notes") <= 2 { // with those that were there
			t.Errorf("%s", all.Body)
		}
		e := ada.Get(estimatePath, "folder", "osmo").OK(t)
		want(t, e, m{"data.notes": 1, "data.parts": 1, "data.callsAtLeast": 1, "data.callsAtMost": 6, "data.pricePerCall": .002, "data.costAtMost": .012, "data.days": 1, "data.callsLeftToday": 300, "data.models.0.adapterId": "local:small", "data.models.0.providerMode": "local", "data.left": 0, "data.alreadyRead": 0})
		if local.count() != before {
			t.Error("an estimate asked the model")
		}
		// Nothing begins without the estimate of just these notes.
		ada.Post(runPath, m{"action": "start"}).Want(t, 422, "invalid_request")
		ada.Post(runPath, m{"action": "start", "estimateId": e.Str("data.estimateId")}).Want(t, 422, "invalid_request")
		ada.Post(runPath, m{"action": "stop"}).Want(t, 404, "not_found")
		s.As(t, "bob").Post(runPath, m{"action": "start", "folder": "osmo", "estimateId": e.Str("data.estimateId")}).Want(t, 422, "invalid_request")
		want(t, begin(t, ada, m{"folder": "osmo"}), m{"data.state": "running", "data.parts": 1, "data.callsAtMost": 6})
		work(t, s)
		list := ada.Get(proposalsPath).OK(t)
		want(t, list, m{
			"data.total": 2, "data.run.state": "done", "data.run.partsDone": 1, "data.run.calls": 5, "data.run.offered": 2,
			"data.run.dropped": m{"no_evidence": 1, "disagrees": 1, "not_answered": 1},
		})
		local.mu.Lock()
		for _, sent := range local.asked[before:] {
			if strings.Contains(sent, "ghp_16C7") || strings.Contains(sent, "AKIAIOSFODNN7EXAMPLE") {
				t.Errorf("a secret was sent: %s", sent)
			}
			if strings.Contains(sent, `"question":"What passes`) && strings.Contains(sent, "pressure") {
				t.Errorf("the check sees more than the evidence: %s", sent)
			}
		}
		local.mu.Unlock()
		atom := apitest.Atom("ada", "osmosis")
		kinds := map[string]string{}
		for i := range 2 {
			at := fmt.Sprintf("data.items.%d.", i)
			want(t, list, m{at + "question.state": "proposed", at + "question.origin": "model", at + "documentId": "osmosis", at + "noteTitle": "Osmosis", at + "question.atomId": atom})
			kinds[list.Str(at+"question.kind")] = list.Str(at + "question.questionId")
			start, end, quote := list.Int(at+"question.evidence.start"), list.Int(at+"question.evidence.end"), list.Str(at+"quote")
			if content := strings.TrimPrefix(osmosis, "# Osmosis\n\n"); content[start:end] != quote {
				t.Errorf("%q is not %q", content[start:end], quote)
			}
		}
		water, why := kinds["question"], kinds["explain"]
		if water == "" || why == "" {
			t.Fatalf("%s", list.Body)
		}
		if marked := ada.Get("/api/knowledge/note", "atomId", atom, "questionId", water).OK(t); marked.At("data.marked") != true {
			t.Error("the evidence of a proposed question is not marked")
		}
		// They are not asked before they are accepted, whoever names them.
		asks := func(id string) bool {
			return ada.Get("/api/knowledge/question", "atomId", atom, "questionId", id).OK(t).Str("data.question.questionId") == id
		}
		if asks(water) || asks(why) {
			t.Error("what was only proposed is asked")
		}
		ada.Post(proposalsPath, m{"decision": "accept"}).Want(t, 422, "invalid_request")
		ada.Post(proposalsPath, m{"decision": "accept", "questionIds": []string{water}, "documentId": "osmosis"}).Want(t, 422, "invalid_request")
		want(t, s.As(t, "bob").Post(proposalsPath, m{"decision": "accept", "questionIds": []string{water}}).OK(t), m{"data.decided": 0})
		ada.Post("/api/knowledge/questions", m{"questionId": water, "prompt": "What passes the membrane?"}).OK(t) // an edit decides nothing
		ada.Post("/api/knowledge/questions", m{"questionId": water, "explanation": "See the drawing.", "flag": 1, "report": "odd"}).OK(t)
		ada.Get(proposalsPath).OK(t)
		first := ada.Get(proposalsPath, "limit", "1").OK(t)
		want(t, first, m{"data.total": 2, "data.items.1": nil})
		ada.Post("/api/knowledge/questions", m{"questionId": water, "explanation": "See the other drawing.", "flag": 2}).OK(t)
		second := ada.Get(proposalsPath, "limit", "1", "cursor", first.Str("data.next_cursor")).OK(t)
		want(t, second, m{"data.total": 2, "data.next_cursor": "", "data.items.1": nil})
		if a, b := first.Str("data.items.0.question.questionId"), second.Str("data.items.0.question.questionId"); a == b || b == "" {
			t.Errorf("%q and then %q", a, b)
		}
		want(t, ada.Get(proposalsPath).OK(t), m{"data.total": 2, "data.next_cursor": ""})
		want(t, ada.Post(proposalsPath, m{"decision": "accept", "questionIds": []string{water, "none"}}).OK(t), m{"data.decided": 1, "data.waiting": 1})
		want(t, ada.Post(proposalsPath, m{"decision": "reject", "questionIds": []string{why, water}}).OK(t), m{"data.decided": 1, "data.waiting": 0})
		next := func() string { // it is the first, before those that follow from the note
			return ada.Get("/api/knowledge/question", "atomId", atom).OK(t).Str("data.question.questionId")
		}
		if next() != water {
			t.Error("the accepted question is not asked")
		}
		// What was read is not read again unless that is wished; what was rejected, or is asked, does not come back.
		want(t, ada.Get(estimatePath, "folder", "osmo").OK(t), m{"data.parts": 0, "data.alreadyRead": 1, "data.days": 0})
		ada.Post(runPath, m{"action": "start", "folder": "osmo", "estimateId": ada.Get(estimatePath, "folder", "osmo").OK(t).Str("data.estimateId")}).Want(t, 422, "invalid_request")
		begin(t, ada, m{"folder": "osmo", "again": true})
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.total": 0, "data.run.state": "done", "data.run.dropped.duplicate": 2, "data.run.offered": 0})
		// All of a note at once.
		begin(t, ada, m{"documentId": "diffusion"})
		work(t, s)
		want(t, ada.Get(proposalsPath, "documentId", "osmosis").OK(t), m{"data.total": 0, "data.run.dropped": m{"gives_away": 1, "malformed": 1}})
		want(t, ada.Get(proposalsPath, "documentId", "diffusion").OK(t), m{"data.total": 1})
		want(t, ada.Post(proposalsPath, m{"decision": "accept", "documentId": "diffusion"}).OK(t), m{"data.decided": 1})
		// When the note says it no more, it is not asked.
		moved := strings.Replace(osmosis, "In osmosis", "As we know, in osmosis", 1)
		ada.Post("/api/knowledge/ingest", m{"documents": []m{note("osmosis", moved)}}).OK(t)
		if next() != water {
			t.Error("a question is lost because its evidence has moved")
		}
		ada.Post("/api/knowledge/ingest", m{"documents": []m{note("osmosis", strings.Replace(osmosis, "passes a membrane", "goes through a membrane", 1))}}).OK(t)
		if next() == water {
			t.Error("a question is asked whose evidence is gone")
		}
		// What was begun, what it came to and what was decided stand in the audit log.
		runs := s.Count(t, "audit_event WHERE action = 'knowledge.proposals_started'")
		if done := s.Count(t, "audit_event WHERE action = 'knowledge.proposals_done'"); runs < 3 || done != runs {
			t.Errorf("%d runs began and %d ended in the audit log", runs, done)
		}
		if n := s.Count(t, "audit_event WHERE action = 'knowledge.proposals_decided' AND owner = 'ada'"); n < 2 {
			t.Errorf("%d decisions in the audit log", n)
		}
	})
}

// Whoever keeps to the local side has notes that go nowhere else, and nothing goes to a model that they did not agree to.
func TestProposalsKeepToTheSide(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine apitest.Engine) {
		local, nearModel := startModel(t, "local")
		cloud, farModel := startModel(t, "cloud")
		s := apitest.Start(t, engine, apitest.Options{TutorModels: []core.TutorModel{nearModel, farModel}})
		local.set(recorded(t))
		cloud.set(recorded(t))
		ada := s.As(t, "ada")
		proposalNotes(t, ada)
		config := "/api/knowledge/session/orchestration/config"
		ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "local"}}).OK(t)
		want(t, ada.Get(estimatePath).OK(t), m{"data.models": []any{map[string]any{"adapterId": "local:small", "providerMode": "local", "providerName": "local-host/small"}}})
		begin(t, ada, m{"documentId": "diffusion"})
		ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "cloud"}}).OK(t)
		far := cloud.count()
		work(t, s)
		if cloud.count() != far {
			t.Error("a model was asked that the learner did not agree to")
		}
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "failed", "data.run.errorCode": "no_model", "data.run.calls": 0})
		ada.Post(config, m{"tutorRoutingConfig": m{"preferredMode": "auto"}}).OK(t)
		ada.Post(runPath, m{"action": "resume"}).OK(t)
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "done", "data.run.offered": 1, "data.total": 1})
		if cloud.count() != far {
			t.Error("a model was asked that the learner did not agree to")
		}
		// Of two that were agreed to, one checks the other.
		begin(t, ada, m{"documentId": "osmosis"})
		work(t, s)
		if cloud.count() == far || ada.Get(proposalsPath).OK(t).Int("data.total") != 3 {
			t.Errorf("%d calls of the other model", cloud.count()-far)
		}
		ada.Post(config, m{"tutorRoutingConfig": m{"enabled": false}}).OK(t)
		none := ada.Get(estimatePath).OK(t)
		want(t, none, m{"data.models": []any{}})
		ada.Post(runPath, m{"action": "start", "estimateId": none.Str("data.estimateId")}).Want(t, 422, "invalid_request")
	})
}

// faulty is a model server that does all that servers do when they are not well.
func faulty(t *testing.T) (core.TutorModel, *atomic.Value) {
	t.Helper()
	var kind atomic.Value // what it does; read by several requests at a time
	kind.Store("html")
	says := recorded(t)
	done := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &body); err != nil {
			w.WriteHeader(400)
			return
		}
		switch kind.Load() {
		case "html":
			fmt.Fprint(w, "<html><body>Sign in to the network of the café</body></html>")
			return
		case "hangs":
			select {
			case <-r.Context().Done():
			case <-done:
			}
			return
		case "key":
			http.Error(w, `{"error":{"message":"bad key sk-key"}}`, http.StatusUnauthorized)
			return
		}
		status, content := says(body.Messages[1].Content)
		if kind.Load() == "nonsense" {
			content = "As a language model I am glad to help! " + strings.Repeat("{", 50)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(m{"choices": []m{{"message": m{"role": "assistant", "content": content}}}})
	}))
	t.Cleanup(func() { close(done); srv.Close() })
	model, err := llm.New(srv.URL+"/v1", "small", "sk-key")
	if err != nil {
		t.Fatal(err)
	}
	return core.TutorModel{ID: "local:small", Provider: "host/small", Mode: "local", Model: model}, &kind
}

// What is wrong with a model server is told in words; a run waits for it, fails when it stays so, and is resumed where it was.
func TestProposalsOutliveModelFaults(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine apitest.Engine) {
		model, kind := faulty(t)
		s := apitest.Start(t, engine, apitest.Options{TutorModels: []core.TutorModel{model}})
		ada := s.As(t, "ada")
		proposalNotes(t, ada)
		patience := func(ms int) {
			ada.Post("/api/knowledge/session/orchestration/config", m{"tutorRoutingConfig": m{"adapterTimeoutMs": ms}}).OK(t)
		}
		kind.Store("html")
		begin(t, ada, m{"documentId": "osmosis"})
		work(t, s)
		r := ada.Get(proposalsPath).OK(t)
		want(t, r, m{"data.run.state": "running", "data.run.waitsFor": "model", "data.run.errorCode": "bad_reply", "data.run.nextAt": clock.Text(s.Clock.Now().Add(15 * time.Second)), "data.run.calls": 1})
		if text := r.Str("data.run.errorMessage"); !strings.HasSuffix(text, "cannot be read") || strings.Contains(text, "café") {
			t.Error(text)
		}
		patience(50)
		kind.Store("hangs")
		s.Clock.Advance(15 * time.Second)
		work(t, s)
		r = ada.Get(proposalsPath).OK(t)
		want(t, r, m{"data.run.errorCode": "timeout", "data.run.waitsFor": "model", "data.run.nextAt": clock.Text(s.Clock.Now().Add(time.Minute)), "data.run.calls": 2})
		patience(15_000)
		kind.Store("well")
		s.Clock.Advance(59 * time.Second)
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.calls": 2}) // its time has not come
		s.Clock.Advance(time.Second)
		work(t, s)
		// Of the six calls of the estimate two were lost to faults; no more are made than were agreed to.
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "failed", "data.run.errorCode": "calls_used_up", "data.run.calls": 6, "data.run.waitsFor": ""})

		kind.Store("key")
		begin(t, ada, m{"documentId": "osmosis"})
		work(t, s)
		r = ada.Get(proposalsPath).OK(t)
		want(t, r, m{"data.run.state": "failed", "data.run.errorCode": "refused"})
		if text := r.Str("data.run.errorMessage"); !strings.Contains(text, "refuses the key") || strings.Contains(text, "sk-key") {
			t.Error(text)
		}
		kind.Store("well")
		ada.Post(runPath, m{"action": "resume"}).OK(t)
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "done", "data.run.errorCode": "", "data.total": 2})

		// What a model says in place of JSON is counted; after three in a row the run ends.
		kind.Store("nonsense")
		for i := range 4 {
			ada.Post("/api/knowledge/ingest", m{"documents": []m{note(fmt.Sprintf("talk/%d", i), strings.ReplaceAll(diffusion, "substance", fmt.Sprintf("substance %d", i)))}}).OK(t)
		}
		begin(t, ada, m{"folder": "talk/"})
		work(t, s)
		r = ada.Get(proposalsPath).OK(t)
		want(t, r, m{"data.run.state": "failed", "data.run.errorCode": "bad_reply", "data.run.partsDone": 3, "data.run.dropped": m{"unreadable": 3}})
		want(t, ada.Get(estimatePath, "folder", "talk/").OK(t), m{"data.parts": 4}) // they are read again by another run
	})
}

// The operator's bound on calls a day holds: a run goes on the next day, and says so.
func TestProposalsWaitForTomorrow(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine apitest.Engine) {
		local, model := startModel(t, "local")
		s := apitest.Start(t, engine, apitest.Options{TutorModels: []core.TutorModel{model}, App: func(c *core.Config) { c.Quotas = core.Quotas{core.QuotaModelCalls: 2} }})
		local.set(recorded(t))
		ada := s.As(t, "ada")
		proposalNotes(t, ada)
		want(t, ada.Get(estimatePath, "documentId", "osmosis").OK(t), m{"data.callsLeftToday": 2, "data.days": 3})
		begin(t, ada, m{"documentId": "osmosis"})
		before := local.count()
		for day := range 3 {
			work(t, s)
			ada = s.As(t, "ada") // a session ends in a day
			r := ada.Get(proposalsPath).OK(t)
			if day == 2 {
				want(t, r, m{"data.run.state": "done", "data.run.calls": 5, "data.total": 2})
				continue
			}
			tomorrow := s.Clock.Now().Add(core.UntilTomorrow(s.Clock.Now()))
			want(t, r, m{"data.run.state": "running", "data.run.waitsFor": "tomorrow", "data.run.nextAt": clock.Text(tomorrow), "data.run.calls": 2 * (day + 1)})
			s.Clock.Advance(core.UntilTomorrow(s.Clock.Now()))
		}
		if n := local.count() - before; n != 5 {
			t.Errorf("%d calls", n)
		}
	})
}

// A run outlives its server and its node, repeats no call that was answered, and is stopped at once.
func TestProposalsGoOnAfterRestart(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine apitest.Engine) {
		local, model := startModel(t, "local")
		s := apitest.Start(t, engine, apitest.Options{TutorModels: []core.TutorModel{model}})
		says := recorded(t)
		ada := s.As(t, "ada")
		proposalNotes(t, ada)
		// Another node that has died holds the work: it is taken over when its lease ends.
		elsewhere := func() {
			t.Helper()
			if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.TakeLease(core.JobPropose, "a node that died", core.LeaseTerm)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		elsewhere()
		before := local.count()
		calls := 0
		local.set(func(material string) (int, string) {
			if calls++; calls == 2 {
				if r := ada.Post(runPath, m{"action": "stop"}); r.Status != 200 {
					t.Errorf("%d %s", r.Status, r.Body)
				}
			}
			return says(material)
		})
		begin(t, ada, m{"folder": "osmosis"})
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "running", "data.run.calls": 0})
		s.Clock.Advance(core.LeaseTerm)
		work(t, s)
		// It was stopped while the second call was under way; what came of it is kept.
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "stopped", "data.run.calls": 2, "data.total": 1, "data.run.partsDone": 0})
		s.Restart(t)
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "stopped", "data.run.calls": 2})
		want(t, ada.Post(runPath, m{"action": "resume"}).OK(t), m{"data.state": "running", "data.endedAt": ""})
		s.Restart(t)
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "done", "data.run.calls": 5, "data.total": 2})
		local.mu.Lock()
		sent := slices.Clone(local.asked[before:])
		local.mu.Unlock()
		slices.Sort(sent)
		if len(slices.Compact(sent)) != 5 {
			t.Error("a call was made twice")
		}
		// Of a note that changes after the run was agreed to nothing is sent.
		s.Clock.Advance(2 * core.LeaseTerm)
		elsewhere()
		begin(t, ada, m{"documentId": "diffusion"})
		ada.Post("/api/knowledge/ingest", m{"documents": []m{note("diffusion", strings.Replace(diffusion, "a substance", "my secret substance", 1))}}).OK(t)
		asked := local.count()
		s.Clock.Advance(core.LeaseTerm)
		work(t, s)
		want(t, ada.Get(proposalsPath).OK(t), m{"data.run.state": "done", "data.run.calls": 0, "data.run.dropped": m{"note_changed": 1}})
		if local.count() != asked {
			t.Error("a note was sent as nobody agreed to")
		}
	})
}
