package evaluate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"

	"stoa/internal/cli"
	"stoa/internal/learning/judging"
	learning "stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/units"
	"stoa/internal/platform/errs"
)

// ReadVault reads the Markdown files of a folder and decides what of them is learned.
func ReadVault(dir string) ([]*units.Prepared, units.Result, error) {
	var list []*units.Prepared
	var found []units.Note
	vaults := obsidian.Vaults{}
	wanted := func(path string) bool { return cli.IsMarkdown(path) || obsidian.IsSettings(path) }
	err := cli.WalkVault(dir, wanted, func(path, rel string, _ fs.FileInfo) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if note, ok := obsidian.NoteOfSettings(rel, string(text)); ok {
			vaults.Add(rel, note)
			return nil
		}
		doc := learning.Parse(learning.Source{Path: rel, Content: string(text)})
		n := units.Note{ID: rel, Path: rel, Title: doc.Title, Names: doc.Names, Genre: doc.Genre, Order: doc.Order}
		for i := range doc.Atoms {
			if a := &doc.Atoms[i]; a.Representation == learning.Text {
				n.Atoms = append(n.Atoms, units.Atom{ID: rel + "#" + a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
			}
		}
		found = append(found, n)
		return nil
	})
	for _, n := range found { // a folder's settings may stand behind its notes
		n.Vault = vaults.Of(n.Path)
		list = append(list, units.Prepare(n))
	}
	return list, units.Build(list, nil), err
}

// ReadLabels reads JSON lines; no file gives none.
func ReadLabels[T any](path string) ([]T, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []T
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		var label T
		if err := json.Unmarshal(in.Bytes(), &label); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		list = append(list, label)
	}
	return list, in.Err()
}

type evalUnitsCmd struct {
	Notes  string `arg:"" help:"Folder of Markdown notes." type:"existingdir"`
	Labels string `help:"JSON lines {path, heading, want}; want is unit, joined (belongs to what stands above) or noise." type:"existingfile"`
	Sample int    `help:"List this many units, drawn at random, with what they say, to be judged by hand."`
	Misses bool   `help:"List what was judged otherwise than labelled."`
}

type sampledUnit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// UnitLabel is what somebody judged of a section: whether it is worth learning.
type UnitLabel struct {
	Path    string `json:"path"`
	Heading string `json:"heading"`
	Want    string `json:"want"`
	Defines bool   `json:"defines"`
}

type unitFigures struct {
	Notes     int                  `json:"notes"`
	Units     int                  `json:"units"`
	LeftOut   map[units.Reason]int `json:"left_out"`
	Lines     map[units.Reason]int `json:"lines_left_out"`
	Ordered   int                  `json:"ordered_by_author"`
	Labelled  int                  `json:"labelled"`
	Precision float64              `json:"precision"` // of what is offered, how much should be
	Recall    float64              `json:"recall"`    // of what should be offered, how much is
	Placed    float64              `json:"placed"`    // of all labels: offered alone, joined or left out as labelled
	Sample    []sampledUnit        `json:"sample,omitempty"`
	Misses    []string             `json:"misses,omitempty"`
}

// Run says what of a folder of notes is offered for learning, and how well that agrees with labels.
func (c *evalUnitsCmd) Run(o cli.Output) error {
	list, built, err := ReadVault(c.Notes)
	if err != nil {
		return err
	}
	labels, err := ReadLabels[UnitLabel](c.Labels)
	if err != nil {
		return err
	}
	r := unitFigures{Notes: len(list), Units: len(built.Units), LeftOut: map[units.Reason]int{}, Lines: built.Lines, Ordered: len(units.AuthorOrder(list)), Labelled: len(labels)}
	for _, l := range built.Left {
		r.LeftOut[l.Reason]++
	}
	offered, right, wanted, placed := 0, 0, 0, 0
	for _, l := range labels {
		got := PlaceOf(list, &built, &l)
		if got != "noise" {
			offered++
		}
		if l.Want != "noise" {
			wanted++
			if got != "noise" {
				right++
			}
		}
		if got == l.Want {
			placed++
		} else if c.Misses {
			r.Misses = append(r.Misses, fmt.Sprintf("%s # %s: %s, labelled %s", l.Path, l.Heading, got, l.Want))
		}
	}
	r.Precision, r.Recall, r.Placed = ratioOf(right, offered), ratioOf(right, wanted), ratioOf(placed, len(labels))
	for _, k := range rand.New(rand.NewPCG(20261122, 18)).Perm(len(built.Units))[:min(c.Sample, len(built.Units))] {
		u := &built.Units[k]
		r.Sample = append(r.Sample, sampledUnit{u.ID, u.Title, u.Words()})
	}
	return o.Print(r, func(w io.Writer) {
		fmt.Fprintf(w, "%d notes, %d units, %d ordered by the author; left out %v; lines left out %v\n", r.Notes, r.Units, r.Ordered, r.LeftOut, r.Lines)
		if r.Labelled > 0 {
			fmt.Fprintf(w, "%d labels: precision %.3f, recall %.3f, placed as labelled %.3f\n", r.Labelled, r.Precision, r.Recall, r.Placed)
		}
		for _, u := range r.Sample {
			fmt.Fprintf(w, "\n%s (%s)\n  %s\n", u.Title, u.ID, u.Text)
		}
		for _, m := range r.Misses {
			fmt.Fprintln(w, m)
		}
	})
}

// PlaceOf says what became of a labelled note or section.
func PlaceOf(list []*units.Prepared, built *units.Result, l *UnitLabel) string {
	for _, p := range list {
		if p.Path != l.Path {
			continue
		}
		for i, a := range p.Atoms {
			if i == 0 && l.Heading != "" || i > 0 && a.Title != l.Heading {
				continue
			}
			switch unit := built.Of[a.ID]; {
			case unit == "" || !speaks(built, unit, a.ID) && i > 0:
				return "noise"
			case unit != a.ID:
				return "joined"
			}
			return "unit"
		}
	}
	return "missing"
}

// speaks reports whether a section has a part in the text of its unit.
func speaks(built *units.Result, unit, atom string) bool {
	for i := range built.Units {
		if u := &built.Units[i]; u.ID == unit {
			for k := range u.Sections {
				if u.Sections[k].AtomID == atom {
					return true
				}
			}
		}
	}
	return false
}

func ratioOf(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

type evalQuestionsCmd struct {
	Notes  string `arg:"" optional:"" help:"Folder of Markdown notes." type:"existingdir"`
	Labels string `help:"JSON lines {path, question, answer}: questions that the author wrote." type:"existingfile"`
	Units  string `help:"JSON lines as for eval units; those with defines are counted when they get a question." type:"existingfile"`
	Sample int    `help:"List this many questions made by rule, drawn at random, to be judged by hand."`
	Misses bool   `help:"List the labelled questions that were not found."`
	plantedFlags
}

// QuestionLabel is a question that somebody expects of a note.
type QuestionLabel struct{ Path, Question, Answer string }

type sampledQuestion struct {
	Unit     string `json:"unit"`
	Kind     string `json:"kind"`
	Prompt   string `json:"prompt"`
	Expected string `json:"expected"`
}

// QuestionFigures are what is measured of the questions of a folder.
type QuestionFigures struct {
	Units     int               `json:"units"`
	Asked     int               `json:"units_with_questions"` // more than "what do your notes say about it"
	Questions map[string]int    `json:"questions"`            // by origin and kind
	Labelled  int               `json:"labelled"`
	Found     float64           `json:"found"`     // of the author's questions
	WrongKey  int               `json:"wrong_key"` // found with another answer
	Defining  int               `json:"defining"`
	Defined   float64           `json:"defining_with_questions"`
	Sample    []sampledQuestion `json:"sample,omitempty"`
	Misses    []string          `json:"misses,omitempty"`
}

// plainRank is that of "what do your notes say about it", which every unit can be asked.
const plainRank = .3

// Run says which questions the notes of a folder give, and how many of those that the author wrote are among them.
func (c *evalQuestionsCmd) Run(o cli.Output) error {
	if c.Planted {
		return c.simulate(o)
	}
	if c.Notes == "" {
		return errs.Invalid("notes", "name a folder of Markdown notes, or say --planted")
	}
	list, built, err := ReadVault(c.Notes)
	if err != nil {
		return err
	}
	labels, err := ReadLabels[QuestionLabel](c.Labels)
	if err != nil {
		return err
	}
	defining, err := ReadLabels[UnitLabel](c.Units)
	if err != nil {
		return err
	}
	r := QuestionFigures{Units: len(built.Units), Questions: map[string]int{}, Labelled: len(labels)}
	byPath, asked := map[string][]questions.Question{}, map[string]bool{}
	var made []sampledQuestion
	for i := range built.Units {
		u := &built.Units[i]
		path, _, _ := strings.Cut(u.ID, "#")
		for _, q := range questions.Derive(u) {
			r.Questions[string(q.Origin)+" "+string(q.Kind)]++
			byPath[path] = append(byPath[path], q)
			if q.Rank <= plainRank {
				continue
			}
			asked[u.ID] = true
			if q.Origin == questions.Rule {
				made = append(made, sampledQuestion{u.Title, string(q.Kind), q.Prompt, q.Expected()})
			}
		}
	}
	r.Asked = len(asked)
	r.Compare(labels, byPath, c.Misses)
	r.define(list, &built, defining, asked)
	rng := rand.New(rand.NewPCG(20261122, 18))
	for _, k := range rng.Perm(len(made))[:min(c.Sample, len(made))] {
		r.Sample = append(r.Sample, made[k])
	}
	return o.Print(r, r.write)
}

// Compare counts how many of the expected questions were made.
func (r *QuestionFigures) Compare(labels []QuestionLabel, byPath map[string][]questions.Question, list bool) {
	found := 0
	for _, l := range labels {
		hit := false
		for _, q := range byPath[l.Path] {
			if prose.Fold(q.Prompt) != prose.Fold(l.Question) {
				continue
			}
			hit = true
			if v := judging.Judge(&q, l.Answer); v.Outcome != judging.Correct {
				r.WrongKey++
			}
			break
		}
		if hit {
			found++
		} else if list {
			r.Misses = append(r.Misses, l.Path+": "+l.Question)
		}
	}
	r.Found = ratioOf(found, len(labels))
}

func (r *QuestionFigures) define(list []*units.Prepared, built *units.Result, labels []UnitLabel, asked map[string]bool) {
	n := 0
	for _, l := range labels {
		if !l.Defines {
			continue
		}
		r.Defining++
		for _, p := range list {
			if p.Path == l.Path && len(p.Atoms) > 0 && asked[built.Of[p.Atoms[0].ID]] {
				n++
			}
		}
	}
	r.Defined = ratioOf(n, r.Defining)
}

func (r *QuestionFigures) write(w io.Writer) {
	fmt.Fprintf(w, "%d units, %d with questions; %v\n", r.Units, r.Asked, r.Questions)
	if r.Labelled > 0 {
		fmt.Fprintf(w, "%d questions of the author: %.3f found, %d with another key\n", r.Labelled, r.Found, r.WrongKey)
	}
	if r.Defining > 0 {
		fmt.Fprintf(w, "%d units define something: %.3f have a question\n", r.Defining, r.Defined)
	}
	for _, q := range r.Sample {
		fmt.Fprintf(w, "\n%s (%s)\n  %s\n  → %s\n", q.Unit, q.Kind, q.Prompt, q.Expected)
	}
	for _, m := range r.Misses {
		fmt.Fprintln(w, "not found:", m)
	}
}

// AnswerTo writes the expected answer as a learner would type it.
func AnswerTo(q *questions.Question) string {
	if len(q.Answer.Items) > 0 {
		return strings.Join(q.Answer.Items, "\n")
	}
	return q.Expected()
}
