package httpapi_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// namesThing matches the names under which operations take what may be somebody's.
var namesThing = regexp.MustCompile(`(^|_)ids?$|[a-z]Ids?$`)

// notSomebodys are names of ids that belong to nobody in particular, or an operation's own, each with the reason.
var notSomebodys = map[string]string{
	"user_id": "TestWhoMayDoWhat names members",
	"item_id": "what is published is everybody's; TestPrivate and TestNothingPrivateIsInAnyFeed ask for what is not", "template_id": "as item_id", "pack_id": "as item_id", "base_pack_id": "as item_id",
	"attempt_id": "is a secret of whoever began", "checkId": "the program's own checks", "adapterId": "the program's own", "tutorAdapterId": "the program's own",
	"requestTrial session_id": "a word of the caller's bot", "getTrialStatus session_id": "a word of the caller's bot", "installTemplate session_id": "a word of the caller's bot",
	"estimateId": "a digest of the caller's own notes", "runProposals documentId": "needs a model; estimateProposals reads the same notes", "reportRating rating_id": "a rating is everybody's to report",
	"saveTemplateDraft draft_id": "each member's drafts have ids of their own, which they make",
	"answersByActionId":          "actions of the session that is executed", "outcomesByActionId": "actions of the session that is executed", "responseTimesByActionId": "actions of the session that is executed",
}

// foundNothing are the operations that answer what they do not find with nothing, not with a refusal.
var foundNothing = []string{
	"getKnowledgeGraph", "listMisconceptions", "buildLearningPath", "planStudySession", "evaluateSessionPlan", "executeStudySession", "getRuntimeRequestTrace", "listLeftOut",
	"listProposals", "estimateProposals", "decideProposals", "listQuestionVersions", "listQuestions", "planPlacement", "endOwnSession", "removePasskey", "removeTrustedPublisher", "revokeAPIToken",
}

// idNames are the names of ids that op takes, as deep as they stand.
func idNames(op apitest.Operation) (names []string) {
	for _, p := range slices.Concat(op.Params, op.InPath) {
		if namesThing.MatchString(p.Name) {
			names = append(names, p.Name)
		}
	}
	for _, p := range op.Properties() {
		if namesThing.MatchString(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// bobsIDs gives bob one of what has an id, with the secret in it wherever there is a text.
func bobsIDs(t *testing.T, s *apitest.Server) map[string]string {
	t.Helper()
	bob := s.As(t, "bob")
	bob.Post("/api/knowledge/ingest", m{"documents": []m{
		{"documentId": secret, "sourcePath": "a/" + secret + ".md", "content": "# Base of " + secret + "\n\nA base holds what stands on it, and " + secret + " is one.\n"},
		{"documentId": secret + "2", "sourcePath": "a/" + secret + "2.md", "content": "# Top of " + secret + "\n\nRequires [[" + secret + "]].\n\nA top stands on a base, and does so for as long as the base holds.\n"},
	}}).OK(t)
	atom, other := apitest.Atom("bob", secret), apitest.Atom("bob", secret+"2")
	question := bob.Post("/api/knowledge/questions", m{"atomId": atom, "prompt": "What is " + secret + "?", "accepted": []string{secret}}).OK(t).Str("data.questionId")
	done := bob.Post("/api/knowledge/session/execute", m{"focusAtomIds": []string{atom}}).OK(t)
	token := bob.Post("/api/account/tokens", m{"label": secret, "scope": "read"}).OK(t).Str("data.token_id")
	withPasskey(t, s, "bob")
	bob.With("X-Request-Id", secret).Post("/api/preferences/observe", m{"enabled": true}).OK(t)
	publisher := bob.Post("/api/account/publishers", m{"item": "bob/" + secret, "issuer": apitest.Pipelines().URL, "repository": "octo/" + secret}).OK(t)
	rated := prepared(t, s, operation(t, "answerRating"), "bob")
	return map[string]string{
		"documentId": secret, "atomId": atom, "sourceAtomId": atom, "targetAtomId": other, "focusAtomId": atom, "focusAtomIds": atom, "atomIds": atom, "questionId": question, "questionIds": question,
		"sessionId": done.Str("data.record.id"), "token_id": token, "session_id": bob.Get("/api/account/sessions").OK(t).Str("data.sessions.0.session_id"),
		"passkey_id": bob.Get("/api/account/passkeys").OK(t).Str("data.passkeys.0.passkey_id"), "publisher_id": publisher.Str("data.publisher_id"), "requestId": secret,
		"rating_id": rated["rating_id"].(string), "item_id": rated["item_id"].(string),
		"submission_id": thing(t, s, operation(t, "getMemberSubmissionDetail"), "bob"), "base_artifact_id": s.Draft(t, "bob", "cmd_config.json", apitest.Setup(t, secret)),
		"answersByAtomId": atom, "outcomesByAtomId": atom,
	}
}

// Every operation that takes an id is asked with another member's, or has a reason why that is nobody's. What comes has nothing of
// theirs, and nothing of theirs changes; they themselves are not refused.
func TestEveryIDOfAnotherMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		of, ada := bobsIDs(t, s), s.As(t, "ada")
		for name, id := range of {
			if id == "" {
				t.Fatalf("bob has no %s", name)
			}
		}
		asked, spared := map[string][]string{}, map[string]bool{}
		before := s.RowsOf(t, "bob")
		for _, op := range apitest.Operations() {
			for _, name := range idNames(op) {
				why := notSomebodys[name] + notSomebodys[op.ID+" "+name]
				spared[name], spared[op.ID+" "+name] = true, true
				if things[op.ID] == name || why != "" { // TestThingsOfAnotherMember asks for the things
					continue
				}
				if of[name] == "" {
					t.Errorf("%s takes a %s, which nobody is refused another's of", op.ID, name)
					continue
				}
				asked[op.ID] = append(asked[op.ID], name)
				r := send(ada, op, asBobs(op, name, of))
				if strings.Contains(strings.ReplaceAll(string(r.Body), of[name], ""), secret) {
					t.Errorf("%s with bob's %s: %s", op.ID, name, r.Body)
				}
				if r.Status < 400 && !slices.Contains(foundNothing, op.ID) {
					t.Errorf("%s with bob's %s: %d %s", op.ID, name, r.Status, r.Body)
				}
			}
		}
		for name := range notSomebodys {
			if !spared[name] {
				t.Errorf("no operation takes %s", name)
			}
		}
		if after := s.RowsOf(t, "bob"); after != before {
			t.Errorf("something of bob's has changed:\n%s", firstDifference(before, after))
		}
		bob := s.As(t, "bob")
		for _, op := range slices.Backward(apitest.Operations()) { // what is taken back goes before what is done anew
			for _, name := range asked[op.ID] {
				if r := send(bob, op, asBobs(op, name, of)); r.Status >= 400 {
					t.Errorf("%s with bob's %s refuses bob, so that it proves nothing: %d %s", op.ID, name, r.Status, r.Body)
				}
			}
		}
	})
}

// asBobs is a call of op with one of bob's ids, and else with what it needs to succeed.
func asBobs(op apitest.Operation, name string, of map[string]string) m {
	in := m{}
	maps.Copy(in, input(op))
	for other := range in {
		if of[other] != "" {
			delete(in, other)
		}
	}
	in[name] = any(of[name])
	if p, ok := op.Named(name); ok && p.Schema["type"] == "array" {
		in[name] = []string{of[name]}
	}
	switch {
	case strings.HasSuffix(name, "ByAtomId"):
		in[name] = m{of[name]: "correct"}
	case op.ID == "getKnowledgeQuestion", op.ID == "runTutorAction", op.ID == "getKnowledgeNote":
		in["atomId"] = of["atomId"]
	case op.ID == "compareProfilePackCatalog":
		in["pack_id"] = starter
	case op.ID == "renamePasskey":
		in["label"] = "mine now"
	case op.ID == "answerRating":
		in["item_id"], in["text"] = of["item_id"], "mine now"
	case op.ID == "correctKnowledgeRelation":
		in["sourceAtomId"], in["targetAtomId"] = of["sourceAtomId"], of["targetAtomId"]
	case op.ID == "saveQuestion" && name == "questionId":
		in = m{"questionId": of[name], "prompt": "Mine now?"}
	}
	return in
}
