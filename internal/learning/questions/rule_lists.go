package questions

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/learning/units"
)

// Questions from lists and tables: to complete, to order, term and definition.

// counted asks for a list that a line announces: all its items, or their order.
func (d *deriver) counted(i, k int) {
	s := &d.unit.Sections[i]
	if k+1 >= len(s.Blocks) || s.Blocks[k+1].Kind != units.List || s.Answer {
		return
	}
	b, list := &s.Blocks[k], &s.Blocks[k+1]
	intro := clean(b.Lines[len(b.Lines)-1].Text)
	if sentences := Sentences(intro); len(sentences) > 0 {
		intro = sentences[len(sentences)-1].Text
	}
	if !strings.HasSuffix(intro, ":") && !strings.HasSuffix(intro, "：") || units.Weight(intro) < 14 || len(Words(intro)) < 3 {
		return
	}
	if words := Words(intro); leaning[words[0]] && !wordSetCount[words[0]] || pointing.MatchString(intro) && !strings.Contains(intro, "following") {
		return
	}
	var items []string
	for _, item := range list.Items {
		if item.Level > 0 {
			continue
		}
		name := itemName(item.Text)
		if name == "" || d.title.has(name) || asks(name) || item.Task {
			return
		}
		items = append(items, name)
	}
	if len(items) < 3 || len(items) > 7 || len(distinct(items)) != len(items) {
		return
	}
	w := wordings[d.lang]
	q := Question{Kind: Listing, Prompt: fmt.Sprintf(w.list, strings.TrimRight(intro, ":： "), len(items)), Origin: Rule, Rank: .7, Answer: Answer{Items: items}}
	if list.Ordered && stepWords.MatchString(intro) {
		q.Kind, q.Choices, q.Prompt = Order, shuffled(items, intro), fmt.Sprintf(w.order, strings.TrimRight(intro, ":： "))
	}
	d.add(i, q, b.Start, list.End)
}

var (
	wordSetCount = wordSet("there the these")
	stepWords    = regexp.MustCompile(`(?i)\b(?:steps?|order|phases?|stages?|procedure|process|sequence|passi|fasi|schritte?|phasen|reihenfolge)\b|步骤|顺序|阶段|流程|手順|順序|段階`)
)

// itemName is what an item of a list names: what is marked at its beginning, what stands before a colon or dash, or all
// of a short one.
func itemName(text string) string {
	if term, _, ok := labelled(text); ok {
		return clean(term)
	}
	plain := clean(text)
	for _, sep := range []string{": ", "：", " – ", " — ", " - "} {
		if before, _, ok := strings.Cut(plain, sep); ok && len(strings.Fields(before)) <= 6 {
			plain = before
			break
		}
	}
	plain = strings.TrimRight(plain, ".;,。；， ")
	if len(strings.Fields(plain)) > 6 || units.Weight(plain) > 50 || units.Weight(plain) < 2 {
		return ""
	}
	return plain
}

func distinct(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[Fold(s)] = true
	}
	return m
}

// shuffled gives a list in another order, the same for the same key.
func shuffled(list []string, key string) []string {
	out := slices.Clone(list)
	sum := sha256.Sum256([]byte(key))
	state := binary.LittleEndian.Uint64(sum[:8])
	for i := len(out) - 1; i > 0; i-- {
		state = state*6364136223846793005 + 1442695040888963407
		j := int(state>>33) % (i + 1)
		out[i], out[j] = out[j], out[i]
	}
	if slices.Equal(out, list) && len(out) > 1 {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// termList takes a list of terms with what they mean.
func (d *deriver) termList(i int, b *units.Block) {
	type entry struct {
		term, def string
		item      units.Item
	}
	var pairs []entry
	top := 0
	for _, item := range b.Items {
		if item.Level > 0 {
			continue
		}
		top++
		text, _, _ := strings.Cut(item.Text, "\n")
		term, def, ok := labelled(text)
		if !ok {
			for _, sep := range []string{": ", "：", " – ", " — ", " - "} {
				if before, after, found := strings.Cut(text, sep); found {
					term, def, ok = before, after, true
					break
				}
			}
		}
		term, def = clean(term), clean(def)
		if ok && d.usable(term) && !strings.HasPrefix(term, "(") && !strings.Contains(term, "$") && len(strings.Fields(term)) <= 5 && units.Weight(def) >= 3 && !label(term) && !strings.ContainsAny(term, ".?!") && outside(item.Text, "::") < 0 {
			pairs = append(pairs, entry{term, def, item})
		}
	}
	if len(pairs) < 2 || 2*len(pairs) < top {
		return
	}
	for _, p := range pairs {
		d.pair(i, p.term, p.def, p.item.Start, p.item.End)
	}
	if s := &d.unit.Sections[i]; len(pairs) >= 3 && len(pairs) <= 6 && len(pairs) == top && !s.Answer {
		q := Question{Kind: Match, Prompt: d.unit.Title, Origin: Rule, Rank: .5}
		for _, p := range pairs {
			if w := units.Weight(p.def); w > 160 || w < 12 || optionWords[Fold(p.term)] {
				return
			}
			q.Left, q.Answer.Items = append(q.Left, p.term), append(q.Answer.Items, p.def)
		}
		q.Choices = shuffled(q.Answer.Items, d.unit.ID)
		if len(distinct(q.Answer.Items)) == len(q.Answer.Items) {
			d.add(i, q, b.Start, b.End)
		}
	}
}

// pair asks for a term by its meaning, and for the meaning of a term.
func (d *deriver) pair(i int, term, def string, from, to int) {
	w := wordings[d.lang]
	def, _, _ = strings.Cut(def, "\n")
	if !d.usable(term) || label(term) || optionWords[Fold(term)] || def == "" || strings.HasSuffix(def, ":") || pointing.MatchString(def) || d.unit.Sections[i].Answer {
		return
	}
	short := len(Words(def)) <= 8 && units.Weight(def) <= 40 || isFormula(def) && len(def) < 60
	prompt := fmt.Sprintf(w.whatIs, term)
	if !d.title.has(term) && !d.titleIn(term) {
		prompt = d.unit.Title + " — " + prompt
	}
	switch {
	case short && !yesNo[Fold(def)]:
		d.add(i, Question{Kind: Open, Prompt: d.unit.Title + " — " + term + "?", Origin: Rule, Rank: .6, Answer: answerOf(def)}, from, to)
	case units.Weight(def) >= 24:
		d.add(i, Question{Kind: Explain, Prompt: prompt, Origin: Rule, Rank: .75, Answer: Answer{Texts: []string{def}, Points: points(def, term)}}, from, to)
	}
	if d.title.has(term) || units.Weight(def) < 24 || aspectWords[Fold(term)] {
		return
	}
	for _, word := range Words(term) {
		if !stopWords[word] && units.Weight(word) >= 3 && slices.ContainsFunc(Words(def), func(o string) bool { return stem(o) == stem(word) }) {
			return // the meaning tells the term
		}
	}
	d.add(i, Question{Kind: Open, Prompt: fmt.Sprintf(w.describes, "“"+def+"”"), Origin: Rule, Rank: .8, Answer: answerOf(term)}, from, to)
}

var (
	yesNo = wordSet("yes no true false n/a none - ✓ ✗ ✔ x 是 否 有 无 はい いいえ sì ja nein")
	// optionWords name fields of settings, not terms.
	optionWords = wordSet("type default required optional description name value values example id version format enum minimum maximum status date author link source tipo typ standard 类型 默认 型 既定値")
	// aspectWords are terms that name a side of the subject and not a thing: no meaning can ask for them.
	aspectWords = wordSet("advantage advantages disadvantage disadvantages pros cons usage use when why how what where complexity time space cost purpose goal benefits drawbacks limitations history syntax type types input output default required key idea intuition summary vantaggi svantaggi scopo vorteile nachteile 优点 缺点 用途 特点 利点 欠点 用法")
)

// rows asks for the cells of a table by their row and column.
func (d *deriver) rows(i int, b *units.Block) {
	if len(b.Rows) < 3 || len(b.Rows[0]) < 2 || len(b.Rows[0]) > 6 || len(b.Rows) > 40 {
		return
	}
	head := b.Rows[0]
	keys := map[string]bool{}
	for _, row := range b.Rows[1:] {
		if len(row) != len(head) || clean(row[0]) == "" || keys[Fold(row[0])] || len(row[0]) > 120 {
			return
		}
		keys[Fold(row[0])] = true
	}
	asked := 0
	for c := 1; c < len(head) && asked < 4; c++ {
		name := clean(head[c])
		values := map[string]bool{}
		for _, row := range b.Rows[1:] {
			values[Fold(row[c])] = true
		}
		if name == "" || len(values) < 2 || 2*len(values) < len(b.Rows)-1 {
			continue
		}
		for r := 1; r < len(b.Rows) && asked < 4; r += 1 + len(b.Rows)/5 {
			key, value := clean(b.Rows[r][0]), clean(b.Rows[r][c])
			if value == "" || yesNo[Fold(value)] || len(strings.Fields(value)) > 7 || units.Weight(value) > 50 || units.Weight(value) == 0 && !strings.ContainsAny(value, "$`") || d.title.has(value) || d.title.has(key) && len(keys) < 2 || strings.Contains(Fold(key), Fold(value)) {
				continue
			}
			prompt := key + "\n" + name + ": " + blank
			if h := clean(head[0]); h != "" {
				prompt = h + ": " + prompt
			}
			d.add(i, Question{Kind: Gap, Prompt: prompt, Origin: Rule, Rank: .68, Answer: answerOf(value)}, b.Start, b.End)
			asked++
		}
	}
}
