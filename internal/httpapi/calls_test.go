package httpapi_test

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/submit"
	"stoa/internal/app/school"
	"stoa/internal/app/school/notebook"
	"stoa/internal/market/catalog"
	"stoa/internal/passkeytest"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/schooldb"
)

// capitals is a deck of three cards and a picture that anki-apkg-export 4.0.3 wrote, a program of others.
//
//go:embed testdata/anki/anki-apkg-export-4.0.3.apkg
var capitals []byte

// inputs are what each operation needs to succeed beside a caller; those that are not here need nothing.
var inputs = map[string]m{
	"changePassword":              {"current_password": apitest.Password, "new_password": apitest.Password},
	"endOwnSession":               {"session_id": "none"},
	"confirmSession":              {"password": apitest.Password},
	"createAPIToken":              {"label": "my assistant"},
	"sendSubmissionMessage":       {"text": "It is gone now."},
	"saveExample":                 {"persona": "", "model": "small", "messages": []m{{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Good day."}}},
	"revokeAPIToken":              {"token_id": "none"},
	"removeTrustedPublisher":      {"publisher_id": "none"},
	"removePasskey":               {"passkey_id": "none"},
	"setNotificationWays":         {"kinds": []m{}},
	"renewNotificationFeed":       {"on": false},
	"renewReminderCalendar":       {"on": false},
	"setNotificationMail":         {"address": ""},
	"setNotificationWebhook":      {"url": ""},
	"login":                       {"user_id": "ada", "password": apitest.Password},
	"getTemplateDetail":           {"template_id": translator},
	"getProfilePackCatalogDetail": {"pack_id": starter},
	"getTrialStatus":              {"template_id": translator},
	"downloadTemplatePackage":     {"template_id": translator},
	"exportItem":                  {"item_id": translator, "format": "card-png"},
	"getBotObjects":               {"item_id": translator},
	"getItemPage":                 {"item_id": translator},
	"listRatings":                 {"item_id": translator},
	"saveRating":                  {"item_id": translator, "stars": 4},
	"removeRating":                {"item_id": translator},
	"answerRating":                {"rating_id": "none"},
	"reportRating":                {"rating_id": "none", "reason": "It is advertising."},
	"setPreferenceMode":           {"mode": "inline_execution"},
	"setPreferenceObserve":        {"enabled": true},
	"requestTrial":                {"template_id": translator},
	"getTrialPersonas":            {"item_id": translator},
	"compareTrials":               {"left": m{"answers": []m{{"text": "Yes."}}}, "right": m{"answers": []m{{"text": "No."}}}},
	"trialChat":                   {"messages": []m{{"role": "user", "content": "Hello."}}, "server": m{"url": "http://127.0.0.1:1/v1", "model": "small"}},
	"getInstallPlan":              {"template_id": translator},
	"getKnowledgeQuestion":        {"atomId": apitest.Atom("", "limits")},
	"getKnowledgeDocument":        {"documentId": "limits"},
	"installTemplate":             {"template_id": translator},
	"generatePromptBundle":        {"template_id": translator},
	"generatePackage":             {"template_id": translator},
	"withdrawMemberItem":          {"kind": "template", "item_id": "ada/none", "withdrawn": true, "note": "It was a trial."},
	"uninstallMemberInstallation": {"template_id": translator},
	"compareProfilePackCatalog":   {"pack_id": starter},
	"downloadProfilePackPackage":  {"pack_id": starter},
	"submitTemplate":              {"template_id": "plain/letters", "prompt": "You write letters."},
	"saveTemplateDraft":           {"draft_id": "plain", "revision": 0, "title": "Letters"},
	"importProfilePack":           {"filename": "cmd_config.json", "content_base64": "eyJwcm92aWRlcl9zZXR0aW5ncyI6eyJkZWZhdWx0X3BlcnNvbmFsaXR5IjoiZ2FyZGVuZXIifX0="},
	"setPreferenceRecipient":      {"recipient": ""},
	"queryKnowledge":              {"query": "limits"},
	"compareQueryBackends":        {"query": "limits"},
	"diagnoseMastery":             {"observations": []m{{"atomId": apitest.Atom("", "limits"), "outcome": "correct"}}},
	"runTutorAction":              {"atomId": apitest.Atom("", "limits")},
	"evaluateQualityBaseline":     {"baseline": m{"retestPassRatePct": 60}},
	"evaluateQuality":             {"baseline": m{"retestPassRatePct": 60}, "current": m{"retestPassRatePct": 85}},
	"executeSessionAction":        {"action": m{"atomId": apitest.Atom("", "limits"), "kind": "quiz"}, "outcome": "partial"},
	"importAnki":                  {"filename": "capitals.apkg", "content_base64": base64.StdEncoding.EncodeToString(capitals)},
	"exportAnki":                  {"content": "notes"},
	"importReviews":               {"content_base64": base64.StdEncoding.EncodeToString([]byte("card_id,review_time,review_rating\n"))},
	"putNoteMedia":                {"sourcePath": "maths/dot.gif", "content_base64": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"},
	"getKnowledgeNote":            {"documentId": "limits"},
	"listQuestions":               {"atomId": apitest.Atom("", "limits")},
	"saveQuestion":                {"atomId": apitest.Atom("", "limits"), "prompt": "What is two and two?", "accepted": []string{"4"}},
	"chooseLearned":               {"atomId": apitest.Atom("ada", "sequences"), "choice": "learn"},
	"listQuestionVersions":        {"questionId": "none"},
	"decideProposals":             {"questionIds": []string{"none"}, "decision": "accept"},
	"runProposals":                {"action": "stop"},
	"correctKnowledgeRelation":    {"sourceAtomId": apitest.Atom("ada", "sequences"), "targetAtomId": apitest.Atom("ada", "limits"), "verdict": "unrelated"},
}

// things are what an operation is about that a member must have before, by the name it goes under.
var things = map[string]string{
	"getTemplateDraft": "draft_id", "deleteTemplateDraft": "draft_id",
	"getProfilePackImport": "import_id", "saveProfilePackImportChoices": "import_id", "deleteProfilePackImport": "import_id", "previewProfilePack": "artifact_id", "submitProfilePack": "artifact_id",
	"getMemberSubmissionDetail": "submission_id", "withdrawMemberSubmission": "submission_id", "downloadMemberSubmissionPackage": "submission_id",
	"getMemberProfilePackSubmissionDetail": "submission_id", "withdrawMemberProfilePackSubmission": "submission_id",
	"downloadMemberProfilePackSubmissionExport": "submission_id", "getSubmissionThread": "submission_id", "sendSubmissionMessage": "submission_id", "saveExample": "submission_id",
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

// send calls op with values in the path, the query or the body, wherever op takes them.
func send(c *apitest.Client, op apitest.Operation, values m) *apitest.Reply {
	target := op.Target(values)
	if op.Method == http.MethodGet || op.Body == nil {
		var query []string
		for name, v := range values {
			if !slices.ContainsFunc(op.InPath, func(p apitest.Param) bool { return p.Name == name }) {
				query = append(query, name, fmt.Sprint(v))
			}
		}
		return c.Do(op.Method, target+apitest.Query(query...), nil)
	}
	return c.Do(op.Method, target, mustJSON(values))
}

// prepared is what op needs to succeed for a member, who is given what it must be about.
func prepared(t testing.TB, s *apitest.Server, op apitest.Operation, userID string) m {
	t.Helper()
	in := input(op)
	if op.ID == "uninstallMemberInstallation" {
		_, err := s.App.InstallTemplate(t.Context(), core.Caller{Role: core.Member, UserID: userID}, browse.InstallInput{TemplateID: translator})
		if err != nil {
			t.Fatal(err)
		}
	}
	if name := things[op.ID]; name != "" {
		in[name] = thing(t, s, op, userID)
	}
	switch op.ID {
	case "withdrawMemberItem":
		in["item_id"] = shown(t, s, userID)
	case "loginWithPasskey":
		in = m{"attempt_id": "none", "credential": m{}}
		if s.App.AuthRequired {
			in = proof(t, s, withPasskey(t, s, "ada"))
		}
	case "confirmNotificationMail":
		in["code"] = "01234567"
		s.App.Accounts.Forget()
		if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
			hash := account.TokenHash(userID + "\x1f01234567")
			if err := tx.ForgetFailures("mailcodetry\x1f" + userID); err != nil {
				return err
			}
			return tx.SetNotificationChoice(memberdb.NotificationChoice{UserID: userID, Ways: "{}", Locale: "en-US", MailTo: userID + "@example.org", MailCodeHash: hash})
		}); err != nil {
			t.Fatal(err)
		}
	case "addPasskey":
		in = m{"label": "my key", "attempt_id": "none", "credential": m{}}
		if s.App.AuthRequired {
			in = offered(t, s, userID, passkeytest.New())
		}
	case "addTrustedPublisher":
		in = m{"item": userID + "/garden", "issuer": apitest.Pipelines().URL, "repository": "octo/garden"}
	case "exchangeToken":
		id := trustedByStore(t, s)
		in = m{"user_id": "ada", "item_id": "ada/" + id, "id_token": apitest.Pipelines().Token(s.Clock.Now(), "octo/"+id, nil)}
	case "renamePasskey":
		in = m{"passkey_id": "none", "label": "my key"}
		if s.App.AuthRequired {
			withPasskey(t, s, userID)
			in["passkey_id"] = s.As(t, userID).Get("/api/account/passkeys").OK(t).Str("data.passkeys.0.passkey_id")
		}
	}
	switch op.ID {
	case "saveRating":
		ratable(t, s, userID, translator)
	case "answerRating", "reportRating":
		id := "rated/of-" + userID
		in["item_id"] = id
		if known, ok := owned.Load(gift{s, userID, "rating"}); ok {
			in["rating_id"] = known
			break
		}
		s.Approve(t, s.Submit(t, userID, id, "1.0.0", catalog.Community))
		ratable(t, s, "cyn", id)
		r, err := s.App.SaveRating(t.Context(), core.Caller{Role: core.Member, UserID: "cyn", Open: !s.App.AuthRequired}, browse.RateInput{ItemID: id, Stars: 3})
		if err != nil {
			t.Fatal(err)
		}
		owned.Store(gift{s, userID, "rating"}, r.RatingID)
		in["rating_id"] = r.RatingID
	}
	if op.ID == "runProposals" { // one that was stopped
		write(t, s, func(tx *store.Tx) error {
			return tx.PutQuestionRun(schooldb.QuestionRun{UserID: userID, RunID: "run", State: "stopped", Body: []byte(`{"startedAt":"` + clock.Text(tx.Now) + `","dropped":{}}`)})
		})
	}
	if op.ID == "getItemPicture" {
		id := fmt.Sprintf("pictured/of-x%x", userID)
		if _, known := owned.LoadOrStore(gift{s, userID, "picture"}, id); !known {
			s.Approve(t, s.SubmitPackage(t, "cyn", submit.TemplateInput{TemplateID: id}, apitest.TemplatePackage(t, id, "1.0.0", "You paint.", map[string]string{"screenshots/a.png": picture(t, 9, 9)})))
		}
		in["item_id"], in["name"] = id, "screenshots/a.png"
	}
	if op.ID == "getNoteMedia" {
		if _, err := s.App.IngestAnki(t.Context(), core.Caller{Role: core.Member, UserID: userID}, userID, bytes.NewReader(capitals), int64(len(capitals))); err != nil {
			t.Fatal(err)
		}
		in["name"] = "anki:flag of fr.png"
	}
	if op.ID == "undoStudySession" { // taken back twice it is answered alike
		done, err := s.App.ExecuteStudySession(t.Context(), core.Caller{Role: core.Member, UserID: userID}, school.ExecuteInput{})
		if err != nil {
			t.Fatal(err)
		}
		in["sessionId"] = done.Record.ID
	}
	if op.ID == "correctKnowledgeRelation" || op.ID == "chooseLearned" {
		_, err := s.App.IngestKnowledge(t.Context(), core.Caller{Role: core.Member, UserID: userID}, notebook.IngestInput{Documents: apitest.Notes})
		if err != nil {
			t.Fatal(err)
		}
		in["sourceAtomId"], in["targetAtomId"] = apitest.Atom(userID, "sequences"), apitest.Atom(userID, "limits")
		if op.ID == "chooseLearned" {
			in = m{"atomId": apitest.Atom(userID, "sequences"), "choice": "learn"}
		}
	}
	return in
}

// ratable lets a member rate an item: they have had it installed for long enough.
func ratable(t testing.TB, s *apitest.Server, userID, itemID string) {
	t.Helper()
	_, err := s.App.InstallTemplate(t.Context(), core.Caller{Role: core.Member, UserID: userID}, browse.InstallInput{TemplateID: itemID})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		have, err := tx.RemoveInstallation(userID, itemID)
		if err != nil {
			return err
		}
		have.InstalledAt = clock.Micros(tx.Now.Add(-8 * 24 * time.Hour))
		_, _, err = tx.AddInstallation(have)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// owned remembers what members were given, since most of it can be used again and again.
var owned sync.Map // of gift

// gift names what a member was given on a server. It holds the server itself: an address alone may be another server's later.
type gift struct {
	server       *apitest.Server
	userID, what string
}

func thing(t testing.TB, s *apitest.Server, op apitest.Operation, userID string) string {
	t.Helper()
	if op.ID == "deleteProfilePackImport" {
		return s.Draft(t, userID, "cmd_config.json", apitest.Setup(t, "gardener"))
	}
	what := things[op.ID]
	if what == "draft_id" {
		c := core.Caller{Role: core.Member, UserID: userID}
		in := submit.TemplateDraftInput{DraftID: "given-to-" + userID, TemplateTexts: submit.TemplateTexts{Title: "Given"}}
		if _, err := s.App.SaveTemplateDraft(t.Context(), c, in); err != nil {
			t.Fatal(err)
		}
		return in.DraftID
	}
	if what == "submission_id" && !strings.Contains(op.ID, "ProfilePack") {
		what = "template"
	}
	key := gift{s, userID, what}
	if id, ok := owned.Load(key); ok {
		return id.(string)
	}
	var id string
	switch what {
	case "template":
		id = s.SubmitPackage(t, userID, submit.TemplateInput{TemplateID: userID + "/given"}, apitest.TemplatePackage(t, userID+"/given", "1.0.0", "You give.", nil))
	case "submission_id":
		draft := s.Draft(t, userID, "cmd_config.json", apitest.Setup(t, "gardener"))
		id = s.SubmitPack(t, userID, submit.PackInput{ArtifactID: draft, PackID: userID + "/given"})
	default:
		id = s.Draft(t, userID, "cmd_config.json", apitest.Setup(t, "gardener"))
	}
	owned.Store(key, id)
	return id
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test's own values
	}
	return text
}

// shown is a template that a member has published.
func shown(t testing.TB, s *apitest.Server, userID string) string {
	t.Helper()
	id := userID + "/shown"
	if _, err := s.Store.Item(t.Context(), catalog.KindTemplate, id); err != nil {
		s.Approve(t, s.SubmitPackage(t, userID, submit.TemplateInput{TemplateID: id}, apitest.TemplatePackage(t, id, "1.0.0", "You show.", nil)))
	}
	return id
}
