package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/ankifile"
)

const ingestPath = "/api/knowledge/ingest"

func note(id, content string) m {
	return m{"documentId": id, "sourcePath": id + ".md", "content": content}
}

// The tutor's memory ends: of a session in a week, of a unit in four months, what is kept for long never. What has ended is
// counted until the sweep takes it.
func TestMemoryEnds(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		act := "/api/knowledge/session/action"
		keep := func(document, layer string) *apitest.Reply {
			return ada.Post(act, m{"action": m{"atomId": apitest.Atom("", document), "kind": "quiz"}, "outcome": "correct", "persistMemory": true, "memoryLayer": layer}).OK(t)
		}
		want(t, keep("limits", "session"), m{"data.memory.expiresAt": "2026-03-09T09:00:00.000Z"})
		want(t, keep("limits", "unit"), m{"data.memory.expiresAt": "2026-06-30T09:00:00.000Z"})
		want(t, keep("limits", "long_term"), m{"data.memory.expiresAt": nil})
		want(t, ada.Get(matrixPath).OK(t), m{"data.signals.memoryPolicyExpiredEntries": 0, "data.signals.memoryPolicyTotalEntries": 3})
		s.Clock.Advance(8 * 24 * time.Hour)
		ada = s.As(t, "ada")
		want(t, ada.Get(matrixPath).OK(t), m{"data.signals.memoryPolicyExpiredEntries": 1, "data.signals.memoryPolicyTotalEntries": 3})
		if err := s.App.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(t, ada.Get(matrixPath).OK(t), m{"data.signals.memoryPolicyExpiredEntries": 0, "data.signals.memoryPolicyTotalEntries": 2})
		want(t, ada.Get("/api/knowledge/state").OK(t), m{"data.memoryEntries.session": 0, "data.memoryEntries.unit": 1})
	})
}

// A note that changes and a relation that is taken back end at a time, which is told.
func TestRelationsEnd(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		first := ada.Post(ingestPath, m{"documents": []m{note("a", "# A\n\nRequires [[b]].\n\nText.\n"), note("b", "# B\n\nMore text.\n")}}).OK(t)
		began := first.Str("data.relationEdges.0.temporal.validFrom")
		want(t, ada.Get("/api/knowledge/state").OK(t), m{"data.temporalEdges": 0})
		s.Clock.Advance(time.Hour)
		second := ada.Post(ingestPath, m{"documents": []m{note("a", "# A\n\nOther text.\n")}}).OK(t)
		var ended, held m
		for _, e := range second.At("data.relationEdges").([]any) {
			if e := e.(m); e["temporal"].(m)["validTo"] != nil {
				ended = e
			}
		}
		for _, e := range second.At("data.temporalEdges").([]any) {
			if e := e.(m); e["edgeKind"] == "validity_window" {
				held = e
			}
		}
		if ended == nil || ended["relationKind"] != "prerequisite" || ended["temporal"].(m)["validFrom"] != began || ended["temporal"].(m)["validTo"] != "2026-03-02T10:00:00.000Z" {
			t.Errorf("ended: %v; all %s", ended, second.Body)
		}
		if held == nil || held["isActive"] != false || held["validTo"] != "2026-03-02T10:00:00.000Z" || held["validFrom"] != "2026-03-02T09:00:00.000Z" || held["targetAtomId"] != apitest.Atom("ada", "a") {
			t.Errorf("held: %v", held)
		}
		if n := ada.Get("/api/knowledge/state").OK(t).Int("data.temporalEdges"); n != 2 {
			t.Errorf("%d temporal edges", n)
		}

		// A correction ends the relation too, and of a cycle the weakest is left out.
		ada.Post(ingestPath, m{"documents": []m{note("x", "# X\n\nRequires [[y]].\n"), note("y", "# Y\n\nText.\n"), note("z", "# Z\n\nRequires [[x]].\n")}}).OK(t)
		s.Clock.Advance(time.Hour)
		correct := func(from, to, verdict string) *apitest.Reply {
			return ada.Post("/api/knowledge/relations/correct", m{"sourceAtomId": apitest.Atom("ada", from), "targetAtomId": apitest.Atom("ada", to), "verdict": verdict}).OK(t)
		}
		want(t, correct("y", "x", "unrelated"), m{"data.edges.0.temporal.validTo": "2026-03-02T11:00:00.000Z", "data.cycles": []any{}})
		correct("y", "x", "automatic")
		round := correct("z", "y", "prerequisite")
		if round.Len("data.cycles") != 1 || round.Str("data.cycles.0.edgeId") == "" {
			t.Errorf("x requires y, z requires x, and z comes before y: %s", round.Body)
		}
		ada.Post(ingestPath, m{"documents": []m{note("parrot", "# Parrot\n\nA parrot is a [[bird]] that talks.\n"), note("bird", "# Bird\n\nA bird is an animal with feathers.\n"), note("claw", "# Claw\n\nRequires [[parrot]].\n")}}).OK(t)
		if both := correct("claw", "bird", "prerequisite"); both.Len("data.cycles") != 2 {
			t.Errorf("a parrot is defined by a bird, a claw requires a parrot, and comes before a bird: %s", both.Body)
		}
	})
}

// Two backends answer one question: what each found, which was better, and the telemetry that counts it.
func TestBackendsAreCompared(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		telemetry := func() *apitest.Reply { return ada.Get("/api/knowledge/state").OK(t) }
		const at = "data.queryBackendDiagnostics.comparisonTelemetry."
		want(t, telemetry(), m{at + "totalComparisons": 0, at + "lastComparedAt": ""})
		compare := func(body m) *apitest.Reply { return ada.Post("/api/knowledge/query/compare-backends", body).OK(t) }
		same := compare(m{"query": "limits", "leftBackend": "keyword_only"})
		want(t, same, m{"data.summary.preferredBackend": "tie", "data.summary.overlapRatioPct": 100, "data.left.backendId": "keyword_only", "data.right.backendId": "keyword_only"})
		ada.Post(ingestPath, m{"documents": []m{note("bare", "")}}).OK(t)
		// What the graph adds are relation paths.
		left := compare(m{"query": "series", "leftBackend": "local_hybrid", "rightBackend": "keyword_only"})
		right := compare(m{"query": "series", "leftBackend": "keyword_only", "rightBackend": "local_hybrid", "topK": 2})
		want(t, left, m{"data.summary.preferredBackend": "left", "data.summary.leftTemporalValidityPassRatio": 1, "data.summary.rightRelationPathCoverageRatio": 0})
		want(t, right, m{"data.summary.preferredBackend": "right", "data.summary.rightResultCount": 2})
		if left.Int("data.summary.leftResultCount") <= left.Int("data.summary.rightResultCount") || left.At("data.summary.overlapRatioPct").(float64) >= 100 {
			t.Errorf("%s", left.Body)
		}
		early := compare(m{"query": "limits", "leftBackend": "local_hybrid", "asOf": "1999-01-01"})
		s.Clock.Advance(time.Second)
		compare(m{"query": "bare nothing"})
		want(t, early, m{"data.left.trace.asOf": "1999-01-01T00:00:00.000Z"})
		want(t, telemetry(), m{at + "totalComparisons": 5, at + "leftPreferredCount": 3, at + "rightPreferredCount": 1, at + "tieCount": 1, at + "lastComparedAt": "2026-03-02T09:00:01.000Z"})
		want(t, telemetry(), m{"data.retrievalTelemetry.queryCount": 0}) // these were no questions of hers
	})
}

// What exists beside a topic is offered, by the strategy that explores.
func TestDivergenceIsOffered(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	bob := s.As(t, "bob")
	var docs []m
	for i := range 6 {
		docs = append(docs, note(fmt.Sprintf("root-%d", i), fmt.Sprintf("# Root %d\n\nContrast: [[side-%d]].\n\nAnalogous to: [[limits]].\n\nApplications: [[near-%d]].\n\nWhat root %d is about in a few words of its own.\n", i, i, i, i)),
			note(fmt.Sprintf("side-%d", i), fmt.Sprintf("# Side %d\n\nThe other side of it, number %d.\n", i, i)), note(fmt.Sprintf("near-%d", i), fmt.Sprintf("# Near %d\n\nWhere it is used, number %d.\n", i, i)))
	}
	bob.Post(ingestPath, m{"documents": docs}).OK(t)
	for i := range 6 {
		s.Clock.Advance(time.Minute)
		id := apitest.Atom("bob", fmt.Sprintf("root-%d", i))
		bob.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": id, "outcome": "correct"}, {"atomId": id, "outcome": "correct"}}}).OK(t)
	}
	s.Clock.Advance(24 * time.Hour)
	bob = s.As(t, "bob")
	path := func(more m) *apitest.Reply {
		body := m{"strategy": "exploration_boost", "includeDivergence": true, "recommendedActionLimit": 12, "maxDivergencePaths": 12}
		for k, v := range more {
			body[k] = v
		}
		return bob.Post("/api/knowledge/path", body).OK(t)
	}
	all := path(nil)
	if all.Len("data.divergencePaths") < 2 || all.Int("data.summary.recommendedDivergenceActionCount") < 1 {
		t.Fatalf("%s", all.Body)
	}
	path(m{"strategy": "balanced"})
	none := path(m{"includeDivergence": false})
	want(t, none, m{"data.divergencePaths": []any{}, "data.summary.recommendedDivergenceActionCount": 0})
	plan := func(more m) *apitest.Reply {
		body := m{"pathStrategy": "exploration_boost", "maxActions": 12}
		for k, v := range more {
			body[k] = v
		}
		return bob.Post("/api/knowledge/session/plan", body).OK(t)
	}
	with := plan(nil)
	if with.Int("data.summary.pathRecommendedDivergenceActionCount") < 1 || with.Len("data.signals.divergenceTargets") < 1 {
		t.Errorf("%s", with.Body)
	}
	without := plan(m{"includeDivergence": false})
	want(t, without, m{"data.summary.pathRecommendedDivergenceActionCount": 0})
	plans := []*apitest.Reply{with, without}
	for _, p := range plans {
		s.Clock.Advance(time.Minute)
		out := bob.Post(executePath, m{"sessionPlan": p.At("data")}).OK(t)
		want(t, out, m{"data.record.pathRecommendedDivergenceActionCount": p.Int("data.summary.pathRecommendedDivergenceActionCount")})
	}
	// A note without a word of its own is no evidence.
	bob.Post(ingestPath, m{"documents": []m{note("bare", ""), note("bare-too", "")}}).OK(t)
	if r := bob.Post("/api/knowledge/query", m{"query": "bare"}).OK(t); r.At("data.trace.evidenceCoverageRatio").(float64) >= 1 {
		t.Errorf("%s", r.Body)
	}
}

// A client sends how the strategy of its plan was chosen; the record keeps it.
func TestChoiceByTrendIsKept(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for i, status := range []string{"improving", "stable"} {
		s.Clock.Advance(time.Minute)
		score, sure := .6+float64(i)/10, .8+float64(i)/10
		chosen := m{
			"recommendedPathStrategy": "balanced", "pathStrategySelectionSource": "strategy_trend", "pathStrategySelectionReason": "test",
			"pathStrategyTrendStatus": status, "pathStrategyTrendScore": score, "pathStrategyTrendConfidence": sure,
		}
		plan := m{"actions": []m{{"atomId": apitest.Atom("", "limits"), "kind": "quiz"}}, "summary": m{"pathStrategy": "balanced"}, "signals": m{"orchestration": chosen}}
		r := ada.Post(executePath, m{"sessionPlan": plan}).OK(t)
		want(t, r, m{"data.record.pathStrategyTrendStatus": status, "data.record.pathStrategyTrendScore": score, "data.record.pathStrategyTrendConfidence": sure})
	}
}

// Retests, several observations at once and a comparison that passes.
func TestRetestsAndObservationsCount(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	snapshot := func() *apitest.Reply {
		s.Clock.Advance(time.Minute)
		return ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
	}
	const records, positive = "data.diagnostics.historyWindowRetestRecords", "data.snapshot.historyWindowRetestPositiveDeltaRatePct"
	want(t, snapshot(), m{records: 0, positive: 0})
	sitting(t, ada, "balanced", "explicit_request", "retest", "correct", nil)
	want(t, snapshot(), m{records: 1, positive: 100})
	two := ada.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": apitest.Atom("", "limits"), "outcome": "correct"}, {"atomId": apitest.Atom("", "series"), "outcome": "incorrect"}}}).OK(t)
	want(t, two, m{"data.summary.updatedCount": 2})
	lenient := m{
		"retestPassRateUpliftPct": 1, "misconceptionRecurrenceReductionPct": 0, "evidenceBackedSuggestionRatioPct": 1, "pathEffectivenessLiftPct": 1, "historyWindowAverageMasteryDeltaUplift": .01, "queryP95Ms": 999,
		"minQueryEvidenceCoverageRatioPct": 1, "minQueryRelationPathCoverageRatioPct": 1, "minQueryTemporalValidityPassRatioPct": 1, "maxPendingVerificationRatioPct": 99, "maxQueryBackendFallbackRatioPct": 99, "minSessionMemoryPromotionCoveragePct": 1,
	}
	good := m{
		"retestPassRatePct": 90, "historyWindowAverageMasteryDelta": .3, "evidenceBackedSuggestionRatioPct": 50, "averagePathMasteryGainPct": 30, "randomPathMasteryGainPct": 1, "misconceptionPathEffectivenessPct": 60, "pathEffectivenessPct": 60, "queryP95Ms": 10,
		"queryEvidenceCoverageRatioPct": 50, "queryRelationPathCoverageRatioPct": 50, "queryTemporalValidityPassRatioPct": 50, "sessionMemoryPromotionCoveragePct": 50,
	}
	r := ada.Post("/api/knowledge/quality/evaluate", m{"baseline": m{"retestPassRatePct": 60}, "current": good, "thresholds": lenient}).OK(t)
	want(t, r, m{"data.overallPassed": true})
	// An action on what is gone, and one that the learner passes over.
	gone := ada.Post(executePath, m{"sessionPlan": m{"actions": []m{{"atomId": "atm_gone", "kind": "quiz"}}, "summary": m{}, "signals": m{}}}).OK(t)
	want(t, gone, m{"data.items.0.error": "unknown_atom"})
}

// While the embedder is down, questions fall back to words, and every figure of that moves.
func TestFallbackFiguresMove(t *testing.T) {
	e, embedder := startEmbedder(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{Embedder: embedder})
	ada := s.As(t, "ada")
	round := func(down bool) *apitest.Reply {
		e.down.Store(down)
		s.Clock.Advance(time.Hour)
		ada = s.As(t, "ada")
		for range 4 {
			ada.Post("/api/knowledge/query", m{"query": "limit"}).OK(t)
		}
		return ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
	}
	const ratio = "data.snapshot.queryBackendFallbackRatioPct"
	want(t, round(false), m{ratio: 0})
	for range 4 {
		round(true)
	}
	last := round(false)
	if pct := last.At(ratio).(float64); pct <= 0 || pct >= 100 {
		t.Errorf("%v%% fell back", pct)
	}
	if n := ada.Get("/api/knowledge/state").OK(t).Int("data.retrievalTelemetry.fallbackCount"); n != 16 {
		t.Errorf("%d questions fell back", n)
	}
	if mean := ada.Get("/api/knowledge/quality/history").OK(t).At("data.summary.averageQueryBackendFallbackRatioPct").(float64); mean <= 0 {
		t.Error(mean)
	}
	trend := ada.Get("/api/knowledge/quality/trend").OK(t)
	if trend.At("data.deltas.queryBackendFallbackDeltaPct") == 0.0 || trend.At("data.windows.previous.queryBackendFallbackRatioPct") == 0.0 {
		t.Errorf("%s", trend.Body)
	}
}

// Replies of models that are not accepted, for want of evidence or of confidence, back nothing; the trend of quality sees it.
func TestUnacceptedRepliesBackNothing(t *testing.T) {
	local, model := startModel(t, "local")
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{TutorModels: []core.TutorModel{model}})
	ada := s.As(t, "ada")
	round := func(says func(string) (int, string), kept bool) *apitest.Reply {
		local.set(says)
		s.Clock.Advance(time.Minute)
		r := ada.Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": "recap"}).OK(t)
		if kept {
			sitting(t, ada, "balanced", "explicit_request", "session", "correct", m{"persistMemory": true, "autoPromoteMemory": true, "promoteMemoryMinConfidence": 0})
		}
		s.Clock.Advance(time.Minute)
		ada.Post("/api/knowledge/quality/snapshot", m{}).OK(t)
		return r
	}
	want(t, round(soundly, true), m{"data.trace.verificationStatus": "verified"})
	claims := func(reply string) func(string) (int, string) {
		return func(material string) (int, string) {
			_, sound := soundly(material)
			id := sound[strings.Index(sound, `"evidence":["`)+len(`"evidence":["`):]
			return 200, strings.ReplaceAll(reply, "ID", id[:strings.Index(id, `"`)])
		}
	}
	sure := round(claims(`{"message":"Trust me.","confidence":1,"evidence":["made up"]}`), false)
	want(t, sure, m{"data.trace.verificationReason": "no_bound_evidence", "data.trace.confidence": .2, "data.trace.evidenceSpanIds": []any{}, "data.trace.fallbackUsed": true})
	unsure := round(claims(`{"message":"Perhaps.","confidence":0.1,"evidence":["ID"]}`), false)
	want(t, unsure, m{"data.trace.confidence": .1, "data.trace.evidenceSpanIds": []any{}})
	if why := unsure.Str("data.trace.verificationReason"); !strings.HasPrefix(why, "confidence:0.10<") {
		t.Error(why)
	}
	ada.Post("/api/knowledge/session/action", m{"action": m{"atomId": apitest.Atom("", "series"), "kind": "explain"}, "outcome": "correct", "persistMemory": true}).OK(t)
	want(t, ada.Get(matrixPath).OK(t), m{"data.signals.memoryPolicyLowConfidenceEntries": 1})
	if unsure.Len("data.evidenceSpans") == 0 {
		t.Error("the words of the rule engine rest on nothing")
	}
	round(soundly, true)
	round(failing, false)
	trend := ada.Get("/api/knowledge/quality/trend").OK(t)
	if trend.At("data.deltas.evidenceBackedSuggestionDeltaPct") == 0.0 || trend.At("data.windows.previous.pendingVerificationRatioPct") == 0.0 {
		t.Errorf("%s", trend.Body)
	}
	local.Close()
	ada.Post(tutorPath, m{"atomId": apitest.Atom("", "limits"), "actionKind": "recap"}).OK(t)
	if said := ada.Get("/api/knowledge/state").OK(t).Str("data.tutorAdapterTelemetry.adapters.1.lastError"); said == "" {
		t.Error("the last error is not told")
	}
}

// heart is a deck with a picture whose parts are asked, cards with flags and one that is put aside.
func heart(t *testing.T, format ankifile.Format) []byte {
	t.Helper()
	front := "{{Front}}"
	basic := anki.Model{ID: 1, Name: "Basic", Fields: []string{"Front", "Back"}, Templates: []anki.Template{{Name: "Card 1", Front: front, Back: "{{FrontSide}}<hr id=answer>{{Back}}"}}}
	covered := anki.Model{ID: 3, Name: "Image Occlusion", Cloze: true, Fields: []string{"Occlusion", "Image"}, Templates: []anki.Template{{Name: "Cloze", Front: "{{cloze:Occlusion}}{{Image}}", Back: "{{Image}}"}}}
	shapes := "{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}<br>{{c2::image-occlusion:ellipse:left=.5:top=.6:rx=.1:ry=.2:oi=1}}<br>{{c3::image-occlusion:polygon:points=.1,.1 .2,.2 .3,.1:oi=1}}<br>{{c4::image-occlusion:polygon:points=.4,.1 .2,.2 .3,.1:oi=1}}"
	c := anki.Collection{
		Models: []anki.Model{basic, covered}, Decks: []anki.Deck{{ID: 5, Name: "Body"}},
		Notes: []anki.Note{
			{ID: 1600000000000, GUID: "organ", Model: 1, Tags: []string{"organ"}, Fields: []string{"What pumps the blood?", "The heart"}},
			{ID: 1600000000001, GUID: "aside", Model: 1, Fields: []string{"What is put aside?", "This card"}},
			{ID: 1600000000003, GUID: "io", Model: 3, Fields: []string{shapes, `<img src="heart.png">`}},
		},
		Cards: []anki.Card{
			{ID: 1, Note: 1600000000000, Deck: 5, Flags: 3, Type: 2, Queue: 2, Interval: 10, Factor: 2500, Reps: 1},
			{ID: 2, Note: 1600000000001, Deck: 5, Queue: anki.Suspended},
			{ID: 3, Note: 1600000000003, Deck: 5, Flags: 1},
			{ID: 4, Note: 1600000000003, Deck: 5, Ord: 1},
			{ID: 5, Note: 1600000000003, Deck: 5, Ord: 2},
			{ID: 6, Note: 1600000000003, Deck: 5, Ord: 3},
		},
		Reviews: []anki.Review{{ID: 1700000000000, Card: 1, Ease: 3, Interval: 10, LastInterval: 4, Factor: 2500, Millis: 5000, Type: anki.Reviewing}},
		Media:   []anki.Media{{Name: "heart.png"}},
	}
	return packed(t, &c, format)
}

// lungs is a package of one card that asks a part of a picture.
func lungs(t *testing.T) []byte {
	t.Helper()
	return packed(t, &anki.Collection{
		Models: []anki.Model{{ID: 3, Name: "Image Occlusion", Cloze: true, Fields: []string{"Occlusion", "Image"}, Templates: []anki.Template{{Name: "Cloze", Front: "{{cloze:Occlusion}}{{Image}}", Back: "{{Image}}"}}}},
		Decks:  []anki.Deck{{ID: 1, Name: "Default"}},
		Notes:  []anki.Note{{ID: 1600000000009, GUID: "lungs", Model: 3, Fields: []string{"{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}", `<img src="lungs.png">`}}},
		Cards:  []anki.Card{{ID: 9, Note: 1600000000009, Deck: 1}},
		Media:  []anki.Media{{Name: "lungs.png"}},
	}, ankifile.Legacy)
}

// packed writes a package whose pictures all look the same.
func packed(t *testing.T, c *anki.Collection, format ankifile.Format) []byte {
	t.Helper()
	var file bytes.Buffer
	open := func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("\x89PNG\r\n\x1a\nheart")), nil
	}
	if err := ankifile.Write(t.Context(), &file, c, format, t.TempDir(), open); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Two decks of others: pictures, flags, cards put aside and answers come in, and go out as is asked.
func TestEveryFigureOfDecks(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	send := func(file []byte) *apitest.Reply {
		s.Clock.Advance(time.Minute)
		return ada.Post(ankiIn, m{"filename": "deck.apkg", "content_base64": base64.StdEncoding.EncodeToString(file)}).OK(t)
	}
	send(capitals)
	body := heart(t, ankifile.Legacy)
	r := send(body)
	want(t, r, m{"data.cards": 6, "data.suspended": 1, "data.answers": 1, "data.decks": 2})
	came, _ := readPackage(t, body)
	atoms := map[string]string{}
	for i := range came.Notes {
		for ord := range 4 {
			atoms[fmt.Sprint(came.Notes[i].GUID, ord)] = graph.AtomID("ada", anki.DocumentID(&came.Notes[i], int64(ord))+"::")
		}
	}
	show := func(card string) *apitest.Reply { return ada.Get(questions, "atomId", atoms[card]).OK(t) }
	organ := show("organ0")
	want(t, organ, m{"data.items.0.tags": []any{"organ"}, "data.items.0.deck": "Body", "data.items.0.expected": "The heart"})
	rect, polygon := show("io0"), show("io2")
	want(t, rect, m{"data.items.0.picture": "heart.png", "data.items.0.shapes.0.form": "rect", "data.items.0.shapes.0.asked": true, "data.items.0.shapes.1.asked": false})
	want(t, polygon, m{"data.items.0.shapes.2.asked": true})
	media := "/api/knowledge/media"
	if heart, flag := ada.Get(media, "name", "anki:heart.png"), ada.Get(media, "name", "anki:flag of fr.png"); heart.Status != 200 || bytes.Equal(heart.Body, flag.Body) {
		t.Errorf("%d and %d", heart.Status, flag.Status)
	}
	for i, card := range []string{"organ0", "io0"} {
		id := show(card).Str("data.items.0.questionId")
		want(t, ada.Post(questions, m{"questionId": id, "flag": i + 1}).OK(t), m{"data.flag": i + 1})
	}
	ask := func(card string) *apitest.Reply {
		s.Clock.Advance(time.Minute)
		return ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atoms[card]}}).OK(t)
	}
	for _, card := range []string{"organ0", "io0", "io1", "io2"} {
		if q := ask(card); q.Str("data.tutor.question.questionId") == "" {
			t.Errorf("%s: %s", card, q.Body)
		}
	}
	tells(t, ada, ankiOut, "content", "notes", "cards")

	// A package with one deck and another picture.
	want(t, send(lungs(t)), m{"data.decks": 1, "data.cards": 1})
	lung := graph.AtomID("ada", anki.DocumentID(&anki.Note{ID: 1600000000009, GUID: "lungs", Model: 3}, 0)+"::")
	want(t, ada.Get(questions, "atomId", lung).OK(t), m{"data.items.0.picture": "lungs.png"})
	want(t, ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": lung}}).OK(t), m{"data.tutor.question.picture": "lungs.png"})
	bob := s.As(t, "bob") // who has a newer Anki
	bob.Post(ankiIn, m{"filename": "deck.apkg", "content_base64": base64.StdEncoding.EncodeToString(heart(t, ankifile.Modern))}).OK(t)
	tells(t, bob, ankiOut, "format", "apkg", "legacy")

	// Questions of one's own with choices, what is left over, a tolerance and an explanation.
	limits := apitest.Atom("", "limits")
	for i, q := range []m{
		{"prompt": "Two and two?", "accepted": []string{"4"}, "choices": []string{"3", "4"}, "explanation": "Count."}, {"prompt": "Three and three?", "accepted": []string{"6"}, "choices": []string{"6", "7"}, "explanation": "Count on.", "tolerance": 0.5},
	} {
		q["atomId"] = limits
		saved := ada.Post(questions, q).OK(t)
		want(t, saved, m{"data.explanation": q["explanation"]})
		id := saved.Str("data.questionId")
		want(t, ada.Get("/api/knowledge/question", "atomId", limits, "questionId", id).OK(t), m{"data.question.prompt": q["prompt"]})
		for _, state := range []string{"suspended", "active"} {
			ada.Post(questions, m{"questionId": id, "state": state, "flag": i + 1}).OK(t)
		}
	}
	tells(t, ada, "/api/knowledge/question", "atomId", limits, apitest.Atom("", "series"))
}

// Documents whole and in part, relations of every kind, and a process that took time to read them.
func TestDocumentsAndRelationsOfEveryKind(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	r := ada.Post(ingestPath, m{"documents": []m{
		note("limits", "# Limits\n\n"+strings.Repeat("A long note about limits. ", 24000)), note("kinds", "# Kinds\n\nOf which there are many.\n\nContrast: [[limits]].\n\nAnalogous to: [[cause]].\n"), note("cause", "# Cause\n\nWhat brings something about.\n\nCauses: [[limits]].\n\nRequires [[kinds]].\n"),
	}}).OK(t)
	document := "/api/knowledge/document"
	long, short := ada.Get(document, "documentId", "limits").OK(t), ada.Get(document, "documentId", "kinds").OK(t)
	want(t, long, m{"data.sourcePath": "limits.md"})
	want(t, short, m{"data.truncated": false, "data.sourcePath": "kinds.md"})
	kinds := ada.Get("/api/knowledge/graph").OK(t).All("data.edges", "relationKind")
	for _, kind := range []string{"prerequisite", "contrast"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("the graph has %v; %s", kinds, r.Body[:min(len(r.Body), 300)])
		}
	}
}
