package httpapi_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// namesWithin matches what names a thing below the top of a body besides ids: paths and aliases of notes, and keys of requests.
var namesWithin = regexp.MustCompile(namesThing.String() + `|^(sourcePath|identityAliases|idempotency_key)$`)

// within are bodies of operations that take somebody's thing in a list, a map or an object, by the place. DOC, ATOM, OTHER, PATH,
// QUESTION, DRAFT, KEY and ME stand for ids; one body may do for several places.
var within = map[string]string{
	"ingestKnowledge documents.[].documentId":                `{"documents":[{"documentId":"DOC","content":"# Mine\n\nMine is not yours."}]}`,
	"ingestKnowledge documents.[].sourcePath":                `{"documents":[{"documentId":"mine","sourcePath":"PATH","content":"# Mine\n\nMine is not yours."}]}`,
	"ingestKnowledge documents.[].identityAliases":           `{"documents":[{"documentId":"mine","identityAliases":["DOC","PATH"],"content":"# Mine\n\nMine is not yours."}]}`,
	"ingestKnowledge deletedDocuments.[].documentId":         `{"deletedDocuments":[{"documentId":"DOC"}]}`,
	"ingestKnowledge deletedDocuments.[].sourcePath":         `{"deletedDocuments":[{"sourcePath":"PATH"}]}`,
	"ingestKnowledge operations.[].document.documentId":      `{"operations":[{"op":"upsert","document":{"documentId":"DOC","content":"# Mine\n\nMine is not yours."}}]}`,
	"ingestKnowledge operations.[].document.sourcePath":      `{"operations":[{"op":"delete","document":{"documentId":"mine","sourcePath":"PATH"}}]}`,
	"ingestKnowledge operations.[].document.identityAliases": `{"operations":[{"op":"upsert","document":{"documentId":"mine","identityAliases":["DOC","PATH"],"content":"# Mine\n\nMine is not yours."}}]}`,
	"ingestKnowledge operations.[].fromDocumentId":           `{"operations":[{"op":"move","fromDocumentId":"DOC","document":{"documentId":"mine","sourcePath":"b/mine.md","content":"# Mine\n\nMine is not yours."}}]}`,
	"diagnoseMastery observations.[].atomId":                 `{"observations":[{"atomId":"ATOM","outcome":"incorrect"}],"persist":true}`,
	"executeSessionAction action":                            `{"action":{"actionId":"a","atomId":"ATOM","questionId":"QUESTION","documentId":"DOC","kind":"quiz"},"outcome":"correct","persistMemory":true}`,
	"executeStudySession sessionPlan":                        `{"sessionPlan":{"actions":[{"actionId":"a","atomId":"ATOM","questionId":"QUESTION","documentId":"DOC","kind":"quiz"}],"focusAtomIds":["OTHER"],"sessionId":"SESSION"}}`,
	"evaluateSessionPlan sessionPlan":                        `{"sessionPlan":{"actions":[{"actionId":"a","atomId":"ATOM","questionId":"QUESTION","documentId":"DOC","kind":"quiz"}],"focusAtomIds":["OTHER"],"sessionId":"SESSION"},"persistRecord":true}`,
	"submitTemplate upload_options.idempotency_key":          `{"template_id":"ME/new","prompt":"You write letters.","upload_options":{"idempotency_key":"KEY"}}`,
	"submitProfilePack submit_options.idempotency_key":       `{"artifact_id":"MINE","pack_id":"ME/pack","submit_options":{"idempotency_key":"PACKEY"}}`,
	"previewProfilePack submit_options.idempotency_key":      `{"artifact_id":"MINE","pack_id":"ME/pack","submit_options":{"idempotency_key":"PACKEY"}}`,
	"decideProposals questionIds.[]":                         `{"questionIds":["QUESTION"],"decision":"discard"}`,
	"listMisconceptions atomIds.[]":                          `{"atomIds":["ATOM","OTHER"]}`,
	"buildLearningPath focusAtomIds.[]":                      `{"focusAtomIds":["ATOM","OTHER"]}`,
	"planStudySession focusAtomIds.[]":                       `{"focusAtomIds":["ATOM","OTHER"]}`,
	"executeStudySession focusAtomIds.[]":                    `{"focusAtomIds":["ATOM","OTHER"]}`,
	"evaluateSessionPlan focusAtomIds.[]":                    `{"focusAtomIds":["ATOM","OTHER"]}`,
	"planPlacement outcomesByAtomId.{}":                      `{"outcomesByAtomId":{"ATOM":"correct","OTHER":"incorrect"}}`,
	"executeStudySession answersByAtomId.{}":                 `{"answersByAtomId":{"ATOM":"ATOM"}}`,
	"executeStudySession outcomesByAtomId.{}":                `{"outcomesByAtomId":{"ATOM":"correct"}}`,
}

// notWithin are places that hold nobody's things, each with the reason.
var notWithin = map[string]string{
	"ingestKnowledge documents.[].identityAliases.[]": "with the list", "ingestKnowledge operations.[].document.identityAliases.[]": "with the list",
	"executeStudySession answersByActionId.{}": "actions of the session that is executed", "executeStudySession outcomesByActionId.{}": "as answersByActionId", "executeStudySession responseTimesByActionId.{}": "as answersByActionId",
	"loginWithPasskey credential": "a proof, which names its own key", "confirmSession credential": "as loginWithPasskey", "addPasskey credential": "as loginWithPasskey",
	"setQualityBaseline snapshot": "numbers", "evaluateQualityBaseline baseline": "numbers", "evaluateQualityBaseline current": "numbers", "evaluateQuality baseline": "numbers", "evaluateQuality current": "numbers",
	"recordRemediation failureSources": "names of kinds", "recordRemediation recoveredSources": "names of kinds",
}

// holdsThings says whether somebody's things may be named at a place below the top of a body: by its name, or because the contract does
// not say what stands there.
func holdsThings(p apitest.Place) bool {
	open := p.Schema["type"] == nil && p.Schema["anyOf"] == nil && p.Schema["oneOf"] == nil
	if p.Schema["type"] == "object" && p.Schema["properties"] == nil && p.Schema["additionalProperties"] == nil {
		open = true
	}
	return open || len(p.Path) > 1 && namesWithin.MatchString(p.Name())
}

// varying is what differs between two members' answers alike in all else: ids that are made of who asks, or drawn.
var varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]+_[0-9a-f]{16,}|[0-9a-f]{16,}|-converted-[0-9a-f]+|\d+(\.\d+)?`)

// bodyWithin is the body by which somebody names the things of owner, all of which are called name.
func bodyWithin(t *testing.T, s *apitest.Server, key, me, name, owner string, of map[string]string) []byte {
	t.Helper()
	id := func(kind string) string {
		if owner == "bob" {
			return of[kind]
		}
		return regexp.MustCompile(`[0-9a-f]{8}`).ReplaceAllString(of[kind], "0123abcd")
	}
	mine := ""
	if strings.Contains(within[key], "MINE") {
		mine = s.Draft(t, me, "cmd_config.json", apitest.Setup(t, "gardener"))
	}
	body := strings.NewReplacer("ATOM", apitest.Atom(owner, name), "OTHER", apitest.Atom(owner, name+"2"), "DOC", name, "PATH", "a/"+name+".md", "QUESTION", id("questionId"),
		"SESSION", id("sessionId"), "PACKEY", name+"-pack", "KEY", name+"-key", "MINE", mine, "ME", me).Replace(within[key])
	if !json.Valid([]byte(body)) {
		t.Fatalf("%s: %s", key, body)
	}
	return []byte(body)
}

// Every place within a request body that may name somebody's thing is asked by one member with bob's and by another with what nobody has.
// Both are answered alike, and nothing of bob's changes.
func TestEveryIDWithinABody(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		of := bobsIDs(t, s)
		for _, key := range []string{"submitTemplate upload_options.idempotency_key", "submitProfilePack submit_options.idempotency_key"} {
			id, _, _ := strings.Cut(key, " ")
			op := operation(t, id)
			s.As(t, "bob").Do(op.Method, op.Path, bodyWithin(t, s, key, "bob", secret, "bob", of)).OK(t)
		}
		callers := []struct{ me, name, owner string }{{"xqa", secret, "bob"}, {"xqe", strings.ReplaceAll(secret, "bob", "bog"), "bog"}}
		for _, who := range callers {
			if err := s.App.AddMember(t.Context(), who.me, apitest.Password); err != nil {
				t.Fatal(err)
			}
		}
		before, used := s.RowsOf(t, "bob"), map[string]bool{}
		for _, op := range apitest.Operations() {
			for _, place := range op.Places() {
				key := strings.Replace(op.ID, "ingestKnowledgeDiff", "ingestKnowledge", 1) + " " + strings.Join(place.Path, ".")
				used[key] = true
				if !holdsThings(place) || notWithin[key] != "" {
					continue
				}
				if within[key] == "" {
					t.Errorf("nobody is refused another's in %s", key)
					continue
				}
				var answers [2]string
				for i, who := range callers {
					r := s.As(t, who.me).Do(op.Method, op.Path, bodyWithin(t, s, key, who.me, who.name, who.owner, of))
					text := strings.NewReplacer(who.name, "NAME", who.me, "ME").Replace(string(r.Body))
					if r.Status >= 500 || strings.Contains(text, secret) {
						t.Errorf("%s: %d %s", key, r.Status, r.Body)
					}
					answers[i] = varying.ReplaceAllString(text, "?")
				}
				if answers[0] != answers[1] {
					t.Errorf("%s tells bob's from nobody's:\n%s\n%s", key, answers[0], answers[1])
				}
			}
		}
		for _, key := range slices.Concat(slices.Collect(maps.Keys(within)), slices.Collect(maps.Keys(notWithin))) {
			if !used[key] {
				t.Errorf("no body has %s", key)
			}
		}
		if after := s.RowsOf(t, "bob"); after != before {
			t.Errorf("something of bob's has changed:\n%s", firstDifference(before, after))
		}
	})
}
