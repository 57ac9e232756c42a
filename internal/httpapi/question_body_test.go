package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

const drawnNote = `Norms measure the length of vectors, and all of them agree in what converges in a space of finite dimension.

The derivative of $x^2$ is::$2x$ for **every** [[Real]] x

Who found it? {=Lebesgue ~$\mathbb R$ ~Hilbert}

Match the spaces. {=$\ell^2$ -> squares =$\ell^1$ -> sums =$\ell^\infty$ -> bounds}

State of it::![ball](ball.png) or <script>evil()</script> this
`

// What is asked is drawn from the same fixed set of elements as notes, wherever a page gets it; its answer only where it
// may be seen.
func TestAQuestionIsDrawn(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{
			{"documentId": "norm", "sourcePath": "v/Norm.md", "content": drawnNote}, {"documentId": "real", "sourcePath": "v/Real.md", "content": "The reals are the only complete ordered field, up to isomorphism, and hold the rationals."},
		}}).OK(t)
		atom := apitest.Atom("ada", "norm")
		list := ada.Get(questions, "atomId", atom).OK(t)
		drawn := func(r *apitest.Reply, at string) string {
			text, err := json.Marshal(r.At(at))
			if err != nil {
				t.Fatal(err)
			}
			return strings.ReplaceAll(string(text), ",{}", "")
		}
		find := func(prompt string) int {
			for i := range list.Len("data.items") {
				if strings.HasPrefix(list.Str(fmt.Sprintf("data.items.%d.prompt", i)), prompt) {
					return i
				}
			}
			t.Fatalf("no question %q in %s", prompt, list.Body)
			return 0
		}
		item := func(prompt, field string) string {
			return drawn(list, fmt.Sprintf("data.items.%d.%s", find(prompt), field))
		}
		for what, c := range map[string][2]string{
			"prompt":  {item("The derivative", "body.prompt"), `[["p","The derivative of ",["math","x^2"]," is"]]`},
			"answer":  {item("The derivative", "body.answer"), `[["p",["math","2x"]," for ",["strong","every"]," ",["a",{"note":"real"},"Real"]," x"]]`},
			"choices": {item("Who found", "body.choices"), `["p",["math","\\mathbb R"]]`},
			"left":    {item("Match", "body.left"), `["p",["math","\\ell^1"]]`},
			"script":  {item("State of", "body.answer"), `["absent"`},
		} {
			if !strings.Contains(c[0], c[1]) {
				t.Errorf("%s: got %s\nwant %s", what, c[0], c[1])
			}
		}
		if text := item("State of", "body.answer"); strings.Contains(text, "<script") {
			t.Errorf("a script in the tree: %s", text)
		}
		// Without its answer while it is asked.
		for _, prompt := range []string{"The derivative", "Who found", "Match"} {
			id := list.Str(fmt.Sprintf("data.items.%d.questionId", find(prompt)))
			one := ada.Get("/api/knowledge/question", "atomId", atom, "questionId", id).OK(t)
			said := ada.Post(tutorPath, m{"atomId": atom, "actionKind": "generate_quiz", "questionId": id}).OK(t)
			for _, field := range []string{"prompt", "choices", "left"} {
				if a, b, c := item(prompt, "body."+field), drawn(one, "data.question.body."+field), drawn(said, "data.question.body."+field); a != b || a != c {
					t.Errorf("%s of %q: %s, %s, %s", field, prompt, a, b, c)
				}
			}
			if strings.Contains(string(one.Body)+string(said.Body), `"answer":[`) {
				t.Errorf("the answer of %q before it was given", prompt)
			}
		}
		// What is typed is Markdown too.
		id := list.Str(fmt.Sprintf("data.items.%d.questionId", find("The derivative")))
		saved := ada.Post(questions, m{"atomId": atom, "questionId": id, "prompt": "And `x^3`?", "accepted": []string{"$3x^2$"}, "explanation": "by **rule**"}).OK(t)
		for field, want := range map[string]string{"prompt": `[["p","And ",["code","x^3"],"?"]]`, "answer": `[["p",["math","3x^2"]]]`, "explanation": `[["p","by ",["strong","rule"]]]`} {
			if got := drawn(saved, "data.body."+field); got != want {
				t.Errorf("%s: %s", field, got)
			}
		}
		for _, prompt := range []string{"Who found", "Match"} {
			id := list.Str(fmt.Sprintf("data.items.%d.questionId", find(prompt)))
			ada.Post(questions, m{"atomId": atom, "questionId": id, "flag": 1, "explanation": prompt}).OK(t)
		}
		list = ada.Get(questions, "atomId", atom).OK(t)
	})
}
