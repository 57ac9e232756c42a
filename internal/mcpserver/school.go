package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type stepInput struct {
	Minutes int `json:"minutes,omitempty" jsonschema:"how much time there is"`
	Actions int `json:"actions,omitempty" jsonschema:"how many steps, one when left out"`
}

type questionInput struct {
	Atom     string `json:"atom_id" jsonschema:"atomId of a concept, as next_step, due_today or graph_around name it"`
	Question string `json:"question_id,omitempty" jsonschema:"questionId of next_step; the next question when left out"`
}

type answerInput struct {
	Atom     string `json:"atom_id" jsonschema:"atomId of the concept that was asked about"`
	Question string `json:"question_id" jsonschema:"questionId that was answered"`
	Answer   string `json:"answer" jsonschema:"the member's answer in their own words, not yours"`
	Outcome  string `json:"outcome,omitempty" jsonschema:"how the member judges their own answer, when they were asked because it was doubtful"`
	Seconds  int    `json:"seconds,omitempty" jsonschema:"how long it took"`
	Key      string `json:"idempotency_key" jsonschema:"a new random text for each answer; the same again when a call is repeated"`
}

type atomInput struct {
	Atom  string `json:"atom_id" jsonschema:"atomId of a concept"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many"`
}

type askInput struct {
	Query string `json:"query" jsonschema:"what to look for in the notes"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many passages"`
}

func schoolTools() []tool {
	return []tool{
		row(mcp.Tool{Name: "due_today", Title: "What is due", Description: "List the concepts that the member should review now, the longest overdue first, and counts of all states."}, true, false, dueToday),
		row(mcp.Tool{Name: "next_step", Title: "Next step", Description: "Plan what the member does next, with the reason for each step and the question that it asks."}, true, false, nextStep),
		row(mcp.Tool{Name: "question", Title: "Ask a question", Description: "Give a question about a concept of the member's notes, without its answer."}, true, false,
			func(ctx context.Context, api API, in questionInput) (string, json.RawMessage, error) {
				return call(ctx, api, "getKnowledgeQuestion", values{"atomId": in.Atom}.set("questionId", in.Question))
			}),
		row(mcp.Tool{Name: "answer", Title: "Record an answer", Description: "Judge the member's answer to a question and record it, which changes what they review and when. It needs permission to write."}, true, true, answer),
		row(mcp.Tool{Name: "why", Title: "Why this step", Description: "Explain by rule and numbers why a concept is recommended now, and what would change that."}, true, false,
			func(ctx context.Context, api API, in atomInput) (string, json.RawMessage, error) {
				return call(ctx, api, "buildLearningPath", values{"focusAtomIds": []any{in.Atom}})
			}),
		row(mcp.Tool{Name: "ask_notes", Title: "Ask the notes", Description: "Find passages in the member's notes that answer a question, each with where it stands."}, true, false,
			func(ctx context.Context, api API, in askInput) (string, json.RawMessage, error) {
				return call(ctx, api, "queryKnowledge", values{"query": in.Query}.set("topK", in.Limit))
			}),
		row(mcp.Tool{Name: "graph_around", Title: "Concepts around one", Description: "Show a concept with what it needs first and what rests on it, and how well the member knows each."}, true, false,
			func(ctx context.Context, api API, in atomInput) (string, json.RawMessage, error) {
				return call(ctx, api, "getKnowledgeGraph", values{"focusAtomId": in.Atom}.set("limit", in.Limit))
			}),
	}
}

func nextStep(ctx context.Context, api API, in stepInput) (string, json.RawMessage, error) {
	if in.Actions == 0 {
		in.Actions = 1
	}
	return call(ctx, api, "planStudySession", values{"maxActions": in.Actions}.set("minutes", in.Minutes))
}

func answer(ctx context.Context, api API, in answerInput) (string, json.RawMessage, error) {
	const operation = "executeSessionAction"
	v := values{"action": map[string]any{"atomId": in.Atom, "kind": "quiz", "questionId": in.Question}, "answer": in.Answer}.
		set("outcome", in.Outcome).set("responseTimeMs", in.Seconds*1000)
	data, err := api.Call(ctx, operation, v, in.Key)
	return operation, data, err
}

// dueAtMost bounds how many concepts are looked through for what is due.
const dueAtMost = 2000

// dueToday picks the concepts that are due out of the graph.
func dueToday(ctx context.Context, api API, _ noInput) (string, json.RawMessage, error) {
	operation, data, err := call(ctx, api, "getKnowledgeGraph", values{"limit": dueAtMost})
	if err != nil {
		return operation, nil, err
	}
	var graph struct {
		UserID      string            `json:"userId"`
		GeneratedAt string            `json:"generatedAt"`
		Nodes       []json.RawMessage `json:"nodes"`
		Counts      json.RawMessage   `json:"counts"`
		Truncated   bool              `json:"truncated"`
	}
	if err := json.Unmarshal(data, &graph); err != nil {
		return operation, nil, err
	}
	type due struct {
		State string `json:"state"`
		At    string `json:"nextReviewAt"`
		node  json.RawMessage
	}
	all := []due{}
	for _, node := range graph.Nodes {
		d := due{node: node}
		if err := json.Unmarshal(node, &d); err != nil {
			return operation, nil, err
		}
		if d.State == "due" {
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b due) int { return strings.Compare(a.At, b.At) })
	nodes := []json.RawMessage{}
	for _, d := range all {
		nodes = append(nodes, d.node)
	}
	data, err = json.Marshal(map[string]any{"userId": graph.UserID, "generatedAt": graph.GeneratedAt, "counts": graph.Counts, "due": nodes, "truncated": graph.Truncated})
	return operation, data, err
}
