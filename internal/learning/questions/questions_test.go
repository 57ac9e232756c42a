package questions

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/units"
)

// unitFrom makes a unit of one text.
func unitFrom(title, text string) *units.Unit {
	p := units.Prepare(units.Note{ID: title, Path: title + ".md", Title: title, Atoms: []units.Atom{{ID: "atm", Title: title, Content: text}}})
	r := units.Build([]*units.Prepared{p}, nil)
	if len(r.Units) == 0 {
		return &units.Unit{}
	}
	return &r.Units[0]
}

func find(list []Question, prompt string) *Question {
	for i := range list {
		if strings.Contains(list[i].Prompt, prompt) {
			return &list[i]
		}
	}
	return nil
}

func TestTheAuthorsOwn(t *testing.T) {
	for _, c := range []struct {
		text, prompt string
		kind         Kind
		answer       string
	}{
		{"Capital of France::Paris", "Capital of France", Open, "Paris"},
		{"cane :: dog", "cane", Open, "dog"},
		{"Rome:::Roma", "Roma", Open, "Rome"},
		{"What boils at 100 °C?\n?\nWater", "What boils at 100 °C?", Open, "Water"},
		{"The organs of a plant\n?\n- root\n- stem\n- leaf", "The organs of a plant", Explain, ""},
		{"The ==mitochondrion== makes most of the ATP of a cell.", "The ____ makes most", Gap, "mitochondrion"},
		{"The {{c1::mitochondrion::organelle}} makes most of the ATP of a cell.", "The ____ (organelle) makes", Gap, "mitochondrion"},
		{"Q: What is 2+2?\nA: 4", "What is 2+2?", Open, "4"},
		{"**Frage:** Was ist ein Ring?\n\n**Antwort:** Eine Menge mit zwei Verknüpfungen", "Was ist ein Ring?", Open, "Eine Menge mit zwei Verknüpfungen"},
		{"问：水的化学式是什么？\n答：H₂O", "水的化学式是什么？", Open, "H₂O"},
		{"> [!question] What is the unit of force?\n> The newton", "What is the unit of force?", Open, "The newton"},
		{":::{exercise} What is the derivative of $x^2$?\n$2x$\n:::", "What is the derivative", Open, "$2x$"},
		{"der Hund\tthe dog\ndie Katze\tthe cat", "der Hund", Open, "the dog"},
		{"Which planet is largest? {=Jupiter ~Mars ~Venus}", "Which planet is largest?", Choice, "Jupiter"},
		{"```csv\nquestion,answer\nSymbol of gold?,Au\n```", "Symbol of gold?", Open, "Au"},
	} {
		q := find(bothWays(unitFrom("Notes of mine", c.text+"\n\nSome more text that stands here so that there is enough of it.")), c.prompt)
		if q == nil || q.Kind != c.kind || q.Origin != Author || c.answer != "" && q.Expected() != c.answer {
			t.Errorf("%q: %+v", c.text, q)
		}
	}
}

func TestWhatIsNoQuestion(t *testing.T) {
	for _, text := range []string{"Use std::vector for it, it grows when it is full.", "status:: seed\n\nText that says something about the subject here.", "Call `a::b` when it is needed by the program.", "MyClass::method returns the number of its elements.", "if a == b and c == d then they are the same thing."} {
		for _, q := range bothWays(unitFrom("Vectors", text)) {
			if q.Origin == Author {
				t.Errorf("%q gives %q → %q", text, q.Prompt, q.Expected())
			}
		}
	}
}

func TestByRule(t *testing.T) {
	for _, c := range []struct{ title, text, prompt, answer string }{
		{"Group", "A group is a set with an associative product, a neutral element and inverses.", "What is meant by “group”?", "A group is a set with an associative product, a neutral element and inverses."},
		{"Field", "A ring is said to be a **field** if it is a commutative [[domain]] with inverses.", "if it is a commutative ____ with inverses", "domain"},
		{"Algebra", "A **monoid** is a set with an associative product and a neutral element.", "a(n) ____ is a set with an associative product", "monoid"},
		{"光合作用", "光合作用是植物利用光能把二氧化碳和水转化为有机物的过程。", "什么是“光合作用”？", "光合作用是植物利用光能把二氧化碳和水转化为有机物的过程。"},
		{"スタック", "スタックとは、後から入れたデータを先に取り出すデータ構造である。", "「スタック」とは何ですか。", "スタックとは、後から入れたデータを先に取り出すデータ構造である。"},
		{"Mutex", "Un mutex è un oggetto che garantisce la mutua esclusione tra i thread del processo.", "Che cosa si intende con «mutex»?", "Un mutex è un oggetto che garantisce la mutua esclusione tra i thread del processo."},
		{"Relativity", "The special theory of relativity was published by Albert Einstein in 1905 in a journal of physics.", "Einstein in ____ in a journal", "1905"},
		{"Protocols", "| Protocol | Port |\n|---|---|\n| SSH | 22 |\n| HTTP | 80 |\n| DNS | 53 |\n", "Protocol: SSH\nPort: ____", "22"},
		{"Hash tables", "- **Load factor**: the number of entries divided by the number of buckets.\n- **Chaining**: every bucket holds a list of what falls into it.\n", "Which term does this describe? “the number of entries divided", "Load factor"},
	} {
		q := find(bothWays(unitFrom(c.title, c.text)), c.prompt)
		if strings.HasPrefix(c.prompt, "a(n)") && q == nil {
			q = find(bothWays(unitFrom(c.title, c.text)), "____ is a set with an associative product")
		}
		if q == nil || q.Origin != Rule || q.Expected() != c.answer {
			t.Errorf("%s: %+v of %+v", c.title, q, bothWays(unitFrom(c.title, c.text)))
		}
	}
}

// TestNoAnswerStandsInTheQuestion: for every question that has a short answer.
func TestNoAnswerStandsInTheQuestion(t *testing.T) {
	for title, text := range map[string]string{
		"Field":  "A **field** is a commutative [[ring]] with inverses. Every **field** is an [[integral domain]].\n\n- **Field**: a thing of that kind that is described here.\n- **Prime field**: the smallest field within another one of them.\n",
		"Stacks": "A stack is a `LIFO` structure; the LIFO order is what makes it a stack of elements. The **push** operation adds one element.\n",
	} {
		for _, q := range bothWays(unitFrom(title, text)) {
			if q.Kind == Gap && q.Origin == Rule {
				if strings.Contains(prose.Fold(q.Prompt), prose.Fold(q.Expected())) || strings.Contains(prose.Fold(title), prose.Fold(q.Expected())) {
					t.Errorf("%s: %q tells %q", title, q.Prompt, q.Expected())
				}
			}
		}
	}
}

func TestEvidenceIsWhereItStands(t *testing.T) {
	u := unitFrom("Cells", "Tags: #bio\n\nA cell is the smallest unit of life. The ==mitochondrion== makes most of its ATP.\n\nUnit of charge::coulomb\n")
	for _, q := range bothWays(u) {
		if q.Evidence.AtomID != "atm" || q.Evidence.End <= q.Evidence.Start {
			t.Errorf("%+v", q)
		}
		if part := u.Sections[0].Content[q.Evidence.Start:q.Evidence.End]; q.Kind != Explain && !strings.Contains(part, q.Expected()) {
			t.Errorf("%q is not in %q", q.Expected(), part)
		}
	}
}

// TestDeriveIsStable: the same unit gives the same questions, and nothing fails whatever the text.
func TestDeriveIsStable(t *testing.T) {
	pieces := []string{"## Definition\n", "Definition: ", "## Lemma (x y z)\n", "> **T:** a meaning of it\n", "Term - what it means to all\n", "  - **T** - what it means to all\n", "!!! note\n    in it\n", "A **term** is a [[thing]] of it. ", "x::y\n", "==gap== ", "?\n", "Q: a?\nA: b\n", "\n\n", "- **T**: meaning of it\n", "| a | b |\n|---|---|\n| c | d |\n", "{=a ~b}", "> [!question] Why so?\n> because\n", "$x$ ", "`c` ", "在 1905 年，", "是指某种东西的过程。", "\t", "```\n", "{{c1::z}} "}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		var b strings.Builder
		for range rng.IntN(14) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		u := unitFrom("Some title", b.String())
		first, second := bothWays(u), bothWays(u)
		for i := range first {
			q := &first[i]
			if q.ID != second[i].ID {
				t.Fatalf("%q: %s and %s", b.String(), q.ID, second[i].ID)
			}
		}
	}
}

// A paragraph that begins with the name of a result in bold states it; a number is no name. What is asked of one aspect in Chinese ends as a Chinese question does.
func TestNamedStatements(t *testing.T) {
	for _, c := range []struct{ title, text, prompt string }{
		{"Matrices", "Some matrices are easier than others in every computation.\n\n**Spectral theorem.** A real symmetric matrix has an orthonormal basis of eigenvectors.\n", "State the result: Spectral theorem"},
		{"Triangoli", "Un triangolo rettangolo ha un angolo di novanta gradi e due cateti.\n\n**Teorema di Pitagora.** La somma dei quadrati dei cateti è uguale al quadrato dell'ipotenusa.\n", "Enuncia il risultato: Teorema di Pitagora"},
		{"三角形", "直角三角形有一个角是直角，另外两个角互余。\n\n**勾股定理。**直角三角形两条直角边的平方和等于斜边的平方。\n", "陈述：勾股定理"},
	} {
		list := bothWays(unitFrom(c.title, c.text))
		if q := find(list, c.prompt); q == nil || len(q.Answer.Texts) == 0 || strings.Contains(q.Answer.Texts[0], "**") {
			t.Errorf("%s: %+v", c.title, list)
		}
	}
	for _, text := range []string{"**Theorem 3.2.** A real symmetric matrix has an orthonormal basis of eigenvectors.", "**Very important.** A real symmetric matrix has an orthonormal basis of eigenvectors."} {
		if q := find(bothWays(unitFrom("Matrices", text)), "State the result"); q != nil {
			t.Errorf("%q: %+v", text, q)
		}
	}
	for _, q := range bothWays(unitFrom("酸碱", "布朗斯特酸是能给出质子的物质。\n\n- pH：氢离子浓度的负对数\n- 缓冲溶液：加入少量酸或碱时pH变化很小的溶液\n- 离子积：水中氢离子与氢氧根浓度的乘积\n")) {
		if strings.HasSuffix(q.Prompt, "?") {
			t.Errorf("%q", q.Prompt)
		}
	}
}

func TestQuotationMarksAreTheLanguages(t *testing.T) {
	for _, c := range []struct{ title, text, want string }{
		{"Weimar", "- **Reparation**: Zahlung für Schäden, die ein Krieg verursacht hat\n- **Putsch**: gewaltsamer Versuch, eine Regierung zu stürzen\n", "Welcher Begriff ist gemeint? „Zahlung für Schäden, die ein Krieg verursacht hat“"},
		{"Diritto", "- **Usufrutto**: diritto di godere della cosa altrui rispettandone la destinazione economica\n- **Servitù**: peso imposto sopra un fondo per l'utilità di un altro fondo\n", "Quale termine descrive questa frase? «diritto di godere della cosa altrui rispettandone la destinazione economica»"},
		{"線形代数", "- **階数**：行列の列のうちで一次独立な列の最大の個数のこと\n- **核**：線形写像によって零ベクトルに移されるベクトルの全体\n", "次の説明に当てはまる用語は何ですか。「行列の列のうちで一次独立な列の最大の個数のこと」"},
	} {
		var all []string
		for _, q := range bothWays(unitOf(c.title, c.text)) {
			all = append(all, q.Prompt)
		}
		if !slices.Contains(all, c.want) {
			t.Errorf("%s: %q is not among %q", c.title, c.want, all)
		}
	}
}

func TestDefinitionsWithoutAMark(t *testing.T) {
	for _, c := range []struct{ title, text, want string }{
		{"细胞", "线粒体是有氧呼吸的主要场所，叶绿体是光合作用的场所。", "____是光合作用的场所。"},
		{"硬件", "CPU是执行通用指令的处理器，GPU是执行图形运算的处理器。", "什么是“GPU”"},
		{"系统", "进程是资源分配的基本单位，线程是CPU调度的基本单位。", "什么是“进程”"},
		{"Spectra", "An eigenvector of a matrix $A$ is a nonzero vector $v$ with $Av = \\lambda v$ for some scalar.", "eigenvector of a matrix"},
		{"Matrices", "The determinant of a matrix is the product of its eigenvalues over the complex numbers.", "The ____ of a matrix is the product"},
		{"Hof", "Hugenotten: Protestanten in Frankreich\n1685 Edikt von Fontainebleau\nDie **Intendanten** waren königliche Beamte in den Provinzen des Landes.", "Die ____ waren"},
		{"Light", "The work function is the minimum energy needed to remove an electron from the surface.", "work function"},
		{"Maps", "The kernel of $T$ is the set of vectors which the map sends to zero.", "kernel"},
		{"Kirche", "Simonie ist der Kauf oder Verkauf geistlicher Ämter in der Kirche des Mittelalters.", "Simonie"},
		{"Kauf", "Ein Sachmangel ist eine Abweichung der Istbeschaffenheit von der Sollbeschaffenheit einer Sache.", "Sachmangel"},
		{"Schutz", "Ein Eingriff ist jedes staatliche Handeln, das dem Einzelnen ein geschütztes Verhalten unmöglich macht.", "Eingriff"},
	} {
		if find(bothWays(unitFrom(c.title, c.text)), c.want) == nil {
			t.Errorf("nothing asks for %q: %+v", c.want, bothWays(unitFrom(c.title, c.text)))
		}
	}
	for _, c := range []struct{ title, text, never string }{
		{"Spectra", "A vector is only scaled by the matrix. The scalar is called the **eigenvalue**.", "What is meant by “eigenvalue”"},
		{"编译", "阶段：词法分析、语法分析、语义分析\n词法分析器把源程序的字符流变成一个一个的**记号**（token）流。", "阶段：词法分析、语法分析、语义分析\n词"},
		{"Mietrecht", "Rechte:\n\n- Minderung: die Miete sinkt kraft Gesetzes\n- Kündigung: der Vertrag endet nach der Frist\nDer Grund ist die Verletzung der Pflicht.", "Frist; Der Grund"},
		{"图", "- 邻接矩阵：用二维数组存边，适合稠密图\n- 邻接表：每个顶点一条链表，适合稀疏图\n拓扑排序把有向无环图的顶点排成线性序列。", "适合稀疏图 拓扑"},
		{"Hof", "Hugenotten: Protestanten in Frankreich\n1685 Edikt von Fontainebleau\nDie Hauptstadt war das Zentrum der Verwaltung, der Hof in Versailles.", "____ Edikt"},
		{"Kongress", "Der Wiener Kongress war 1814/15 eine Konferenz der europäischen Mächte in der Stadt Wien.", "____/15"},
		{"Spektrum", "Das Ziel ist die Erhaltung der Ordnung in ganz Europa nach den Kriegen.", "„Ziel“"},
	} {
		if q := find(bothWays(unitFrom(c.title, c.text)), c.never); q != nil {
			t.Errorf("asked: %+v", q)
		}
	}
}

// A question that names its section keeps the ID that it had before it did: its learners keep their answers to it.
func TestSectionsAreNamed(t *testing.T) {
	r := buildUnits("Operating systems", "# Operating systems\n\nAn operating system shares out the machine.\n\n## States of a process\n\n- Ready: the process waits to be given to the processor\n- Blocked: the process waits for an event outside\n- Running: its instructions are carried out\n")
	for i := range r.Units {
		for _, q := range bothWays(&r.Units[i]) {
			if q.Prompt != "Operating systems › States of a process — Ready?" {
				continue
			}
			sum := sha256.Sum256([]byte(q.UnitID + "\x00" + string(q.Kind) + "\x00Operating systems — Ready?\x00" + q.Expected()))
			if want := "qst_" + hex.EncodeToString(sum[:12]); q.ID != want {
				t.Errorf("its ID is %s, not %s", q.ID, want)
			}
			return
		}
	}
	t.Error("it is not asked with its section")
}
