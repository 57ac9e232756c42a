package main

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa/internal/cli/evaluate"
	"stoa/internal/learning/judging"
	"stoa/internal/learning/questions"
)

// TestSchoolNotes: what of the notes of the labelled sets is offered, which of their author's questions are found, and
// how answers to all of them are judged. held was written before it was first measured.
func TestSchoolNotes(t *testing.T) {
	for _, part := range []string{"dev", "held"} {
		dir := "testdata/school/" + part
		list, built, err := evaluate.ReadVault(dir)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := evaluate.ReadLabels[evaluate.UnitLabel](dir + ".units.jsonl")
		if err != nil || len(labels) < 15 {
			t.Fatalf("%s: %d labels, %v", part, len(labels), err)
		}
		for _, l := range labels {
			if got := evaluate.PlaceOf(list, &built, &l); got != l.Want {
				t.Errorf("%s # %s: %s, want %s", l.Path, l.Heading, got, l.Want)
			}
		}
		asked, err := evaluate.ReadLabels[evaluate.QuestionLabel](dir + ".questions.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		byPath := map[string][]questions.Question{}
		for i := range built.Units {
			for _, q := range questions.Derive(&built.Units[i]) {
				path, _, _ := strings.Cut(built.Units[i].ID, "#")
				byPath[path] = append(byPath[path], q)
				if v := judging.Judge(&q, evaluate.AnswerTo(&q)); len(q.Answer.Texts)+len(q.Answer.Items) > 0 && v.Outcome != judging.Correct {
					t.Errorf("%q: the expected answer is judged %+v", q.Prompt, v)
				}
				if v := judging.Judge(&q, "It is not true that "+evaluate.AnswerTo(&q)); v.Outcome == judging.Correct {
					t.Errorf("%q: its denial is judged %+v", q.Prompt, v)
				}
			}
		}
		var r evaluate.QuestionFigures
		r.Compare(asked, byPath, true)
		if r.Found != 1 || r.WrongKey != 0 {
			t.Errorf("%s: %+v", part, r)
		}
	}
}

// TestEvalNotesPrintsJSON: the three commands print figures that programs read.
func TestEvalNotesPrintsJSON(t *testing.T) {
	for name, args := range map[string][]string{
		"units":     {"eval", "units", "testdata/school/held", "--labels", "testdata/school/held.units.jsonl"},
		"questions": {"eval", "questions", "testdata/school/held", "--labels", "testdata/school/held.questions.jsonl", "--units", "testdata/school/held.units.jsonl", "--sample", "3"},
		"judge":     {"eval", "judge", "testdata/school/held"},
	} {
		var got map[string]any
		code, printed := stoa(t, append(args, "--json")...)
		if err := json.Unmarshal([]byte(printed), &got); err != nil || code != 0 || len(got) < 2 {
			t.Errorf("%s: %d %s %v", name, code, printed, err)
		}
	}
}
