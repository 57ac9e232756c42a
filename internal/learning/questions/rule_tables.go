package questions

import (
	"cmp"
	"regexp"
	"strings"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// rows asks for the cells of a table: for a word or a figure by its row and column, for longer values by matching them
// with their rows, as nobody can type them as they stand there.
func (d *deriver) rows(i, k int) {
	b := &d.unit.Sections[i].Blocks[k]
	if len(b.Rows) < 3 || len(b.Rows[0]) < 2 || len(b.Rows[0]) > 6 || len(b.Rows) > 40 {
		return
	}
	head := b.Rows[0]
	if sides[prose.Fold(head[0])] && sides[prose.Fold(head[1])] || opposed(head[0], head[1]) {
		return // what stands for and against in one row need not belong together
	}
	keys, twice, last := map[string]bool{}, map[string]bool{}, ""
	for _, row := range b.Rows[1:] {
		for c := range min(len(row), len(head)) {
			if f := prose.Fold(row[c]); f != "" && f == prose.Fold(head[c]) {
				return // the first row is no heading but one of the others
			}
		}
		if len(row) != len(head) || clean(row[0]) == "" || len(row[0]) > 120 {
			return
		}
		key := prose.Fold(row[0])
		if clean(row[0]) == merged {
			key = last
		}
		twice[key] = keys[key]
		keys[key], last = true, key
	}
	if meaningTable(b) {
		for _, row := range b.Rows[1:] {
			if term := clean(row[0]); !twice[prose.Fold(row[0])] && !clause(term) {
				d.pair(i, term, clean(row[1]), b.Start, b.End)
			}
		}
		return
	}
	asked := 0
	for c := 1; c < len(head) && asked < 4; c++ {
		name := clean(head[c])
		values, typed := map[string]int{}, 0
		for _, row := range b.Rows[1:] {
			values[prose.Fold(row[c])]++
			if typable(clean(row[c])) {
				typed++
			}
		}
		if strings.Trim(name, "-–—. ") == "" || references.MatchString(prose.Fold(name)) || bareNumber.MatchString(name) || exampleColumns[prose.Fold(name)] || len(values) < 2 || 2*len(values) < len(b.Rows)-1 {
			continue
		}
		var pairs []pairOf
		for _, row := range b.Rows[1:] {
			key, value := clean(row[0]), clean(row[c])
			if value == "" || key == merged || value == merged || strings.Contains(key+value, "__") || strings.ContainsAny(lastRune(value), "?？") || twice[prose.Fold(row[0])] || yesNo[prose.Fold(value)] || d.title.has(key) && len(keys) < 2 {
				continue
			}
			pairs = append(pairs, pairOf{key, value, values[prose.Fold(row[c])] > 1})
		}
		if 2*typed < len(b.Rows)-1 || viewColumns[prose.Fold(head[0])] { // how things compare can be put in other words
			asked += d.matched(i, k, name, pairs)
			continue
		}
		for r := 0; r < len(pairs) && asked < 4; r += 1 + len(b.Rows)/5 {
			key, value := pairs[r].key, pairs[r].value
			if !typable(value) || d.title.has(value) || strings.Contains(prose.Fold(key), prose.Fold(value)) || strings.Contains(prose.Fold(d.place(i)), prose.Fold(value)) {
				continue
			}
			d.add(i, Question{Kind: Gap, Prompt: d.cell(i, k, key, name), Origin: Rule, Rank: .68, Answer: answerOf(value)}, b.Start, b.End)
			asked++
		}
	}
}

// merged is what stands in a cell that belongs to the one above.
const merged = "^^"

// pairOf is what a row is named by and what it has in one column; shared when another row has the same.
type pairOf struct {
	key, value string
	shared     bool
}

// typable reports whether a value of a table is one word, short name or figure, which is typed as it is read.
func typable(value string) bool {
	n := len(strings.Fields(value))
	return n > 0 && n <= 3 && units.Weight(value) <= 30 && (!dense(value) || units.Weight(value) <= 16) && (units.Weight(value) > 0 || figure.MatchString(value)) && !strings.ContainsAny(value, "$`\\_→=|<>[]()（）,，、;；/・")
}

var figure = regexp.MustCompile(`^[-+−~≈]?\d`)

// matched asks which value of a column belongs to which row, for up to two parts of a table; it returns how many questions it made.
func (d *deriver) matched(i, k int, name string, pairs []pairOf) (made int) {
	const least, most = 3, 6
	b := &d.unit.Sections[i].Blocks[k]
	kept := pairs[:0]
	for _, p := range pairs {
		if w := units.Weight(p.key + p.value); !p.shared && w <= 160 && w > 0 && !strings.Contains(prose.Fold(p.value), prose.Fold(p.key)) {
			kept = append(kept, p)
		}
	}
	for len(kept) >= least && made < 2 {
		n := len(kept)
		if n > most {
			n = min(most, (n+1)/2)
		}
		q := Question{Kind: Match, Prompt: d.columns(i, k, name), Origin: Rule, Rank: .62}
		if made > 0 {
			q.Prompt += " (2)"
		}
		for _, p := range kept[:n] {
			q.Left, q.Answer.Items = append(q.Left, p.key), append(q.Answer.Items, p.value)
		}
		q.Choices = shuffled(q.Answer.Items, q.Prompt+q.Left[0])
		d.add(i, q, b.Start, b.End)
		kept, made = kept[n:], made+1
	}
	return made
}

// cell names a cell of a table by its row and column, and the table where that is not the only one of its unit.
func (d *deriver) cell(i, k int, key, name string) string {
	w, corner := wordings[d.lang], d.corner(i, k)
	about := d.caption(i, k)
	if about == "" {
		if about = d.place(i); about == d.unit.Title {
			about = ""
		}
	}
	if about != "" {
		about += "\n"
	}
	if corner != "" {
		return about + corner + ": " + key + "\n" + name + ": " + blank
	}
	if about == "" { // the title alone must do
		about = d.unit.Title + "\n"
	}
	return about + w.row + ": " + key + "\n" + w.column + ": " + name + "\n" + blank
}

// columns names two columns of a table, and the table.
func (d *deriver) columns(i, k int, name string) string {
	about := cmp.Or(d.caption(i, k), d.place(i))
	if corner := d.corner(i, k); corner != "" {
		name = corner + " ↔ " + name
	}
	return about + " — " + name
}

// corner is the name of the column that names the rows; "" when it has none.
func (d *deriver) corner(i, k int) string {
	corner := clean(d.unit.Sections[i].Blocks[k].Rows[0][0])
	if strings.Trim(corner, "-–— ") == "" {
		return ""
	}
	return corner
}

// caption is the line before a table that announces it.
func (d *deriver) caption(i, k int) string {
	if k == 0 {
		return ""
	}
	before := &d.unit.Sections[i].Blocks[k-1]
	if before.Kind != units.Paragraph || len(before.Lines) == 0 {
		return ""
	}
	said := clean(before.Lines[len(before.Lines)-1].Text)
	if sentences := prose.Sentences(said); len(sentences) > 0 {
		said = sentences[len(sentences)-1].Text
	}
	line := strings.TrimRight(said, ":： ")
	if line == said || units.Weight(line) < 8 || units.Weight(line) > 120 || label(line) {
		return ""
	}
	return line
}

// meanings are headings of a column that says what the first one means.
var meanings = prose.WordSet("description definition meaning explanation descrizione definizione spiegazione beschreibung bedeutung erklärung 说明 定义 含义 解释 描述 意味 説明 定義 意思 内容 概要")

// sides are columns of what speaks for something and against it.
var sides = prose.WordSet(`pro pros con cons contra advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks strength strengths weakness weaknesses do don't dos don'ts
	similarities differences gemeinsamkeiten unterschiede somiglianze differenze semejanzas diferencias ressemblances différences 相同点 不同点 共通点 相違点
	vorteil vorteile nachteil nachteile stärken schwächen vantaggio vantaggi svantaggio svantaggi ventajas desventajas avantages inconvénients vantagens desvantagens
	优点 缺点 优势 劣势 长处 短处 利 弊 メリット デメリット 利点 欠点 長所 短所`)

// opposed reports whether two columns are what something is of and what it is not of: each is a list by itself.
func opposed(a, b string) bool {
	x, y := prose.Words(a), prose.Words(b)
	return len(x) > 0 && prose.Negated(x) != prose.Negated(y) && prose.Common(x, y) > 0
}

// exampleColumns hold examples, of which there are others.
var exampleColumns = prose.WordSet("example examples e.g beispiel beispiele esempio esempi 例 例子 示例 举例 具体例")

// bareNumber is a column's name that names nothing.
var bareNumber = regexp.MustCompile(`^(?:0[xXbB][0-9a-fA-F]+|[\d\s.,:-]+)$`)

// viewColumns hold sides from which a subject is looked at, and steps.
var viewColumns = prose.WordSet("view perspective aspect side step phase stage problem question criterion feature situation features characteristic characteristics property properties aspetto passo fase domanda criterio caratteristica caratteristiche proprietà aspekt schritt frage kriterium merkmal merkmale eigenschaft eigenschaften característica características aspecto critère critères caractéristique caractéristiques propriété propriétés sicht 视角 角度 方面 步骤 阶段 问题 维度 特征 观点 観点 視点 側面 手順 段階 項目 项目 属性 性质 性質 特性 区别 區別 違い")

// eventColumns hold what happens, which is no term: what stands beside it says more of it.
var eventColumns = prose.WordSet("event events stage stages effect effects result results cause causes evento eventi effetto causa ereignis ereignisse wirkung ursache événement acontecimiento 事件 现象 现象 結果 结果 影响 影響 出来事 效果 効果 原因 特点 特征 特徴")

// meaningTable reports whether a table has a term in each row and what it means.
func meaningTable(b *units.Block) bool {
	return len(b.Rows) > 1 && len(b.Rows[0]) == 2 && meanings[prose.Fold(b.Rows[0][1])] && !viewColumns[prose.Fold(b.Rows[0][0])] && !eventColumns[prose.Fold(b.Rows[0][0])]
}
