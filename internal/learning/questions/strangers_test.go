package questions

import (
	"strings"
	"testing"
)

// What notes of strangers showed: what must not be asked, and what must.

func TestNotAsked(t *testing.T) {
	for _, c := range []struct{ title, text, never string }{
		{"Hearts", "- **Function**: pumps the blood through the whole body\n- **Function**: gives off a hormone that lowers the pressure\n- **Wall**: three layers of tissue, the middle one of muscle\n", "Function"},
		{"Organs", "- **Function**: keeps the balance of water and salts\n- **Nephron**: the smallest unit that filters the blood\n", "“keeps the balance"},
		{"免疫", "- **抗体中和**：抗体中和后的毒素不能再进入细胞内部，因此失去作用。\n- **巨噬细胞**：吞噬进入组织的病原体，并把它的碎片呈递给别的细胞。\n", "“抗体中和后"},
		{"Bytes", "For example the word lies in memory. E.g., the byte `0x2F` stands before the byte `0x30` in the memory of it.", "____"},
		{"Sums", "Let us look at `1024` bytes of memory that hold the numbers of a table in a row.", "____"},
		{"Gruppi", "Uno **spazio vettoriale** (vedi **DEF 3**) ha una somma e un prodotto per scalari del campo.", "vedi ____"},
		{"Körper", "Mit Körperkultur ist die Pflege der Gesundheit durch Bewegung gemeint.", "„Mit "},
		{"環", "**逆元** は各元について次の等式を満たす元のことで、\n\n$$\na a^{-1} = 1\n$$\n", "____"},
		{"環", "単位元がないものも環と呼ぶことがある。そうでないとき **非単位的** な環と呼ぶ。", "非単位的"},
		{"Verbs", "| o | amos |\n|---|---|\n| as | áis |\n| o | an |\n| e | en |\n", "____"},
		{"Reading", "The steps of the process:\n\n1. **Fetch**: the word is read from the memory of the machine\n2. **Decode**: the parts of the word are told from each other\n3. **Run**: the operation is carried out by the unit\n", "Which term"},
		{"Cells", "- **💡 Tip**: print this sheet and put it on the wall above your desk\n- **Nucleus**: the part of the cell that holds its chromosomes\n", "Tip"},
	} {
		for _, q := range Derive(unitFrom(c.title, c.text)) {
			if q.Origin == Rule && q.Rank > .3 && (strings.Contains(q.Prompt, c.never) || q.Expected() == c.never) {
				t.Errorf("%s: %q → %q", c.title, q.Prompt, q.Expected())
			}
		}
	}
}

func TestAsked(t *testing.T) {
	for _, c := range []struct{ title, text, prompt, answer string }{
		{"Normed space", "A normed space $V$ is a vector space with a length for each of its vectors.", "“normed space”", "A normed space $V$ is a vector space with a length for each of its vectors."},
		{"Orbit", "An orbit under a group $G$ is a set of points that the group moves into each other.", "“orbit”", "An orbit under a group $G$ is a set of points that the group moves into each other."},
		{"Bewegung", "Unter Bewegung versteht man die Änderung des Ortes mit der Zeit.", "„Bewegung“", "Unter Bewegung versteht man die Änderung des Ortes mit der Zeit."},
		{"Körperkultur", "Mit Körperkultur ist die Pflege der Gesundheit durch Bewegung gemeint.", "„Körperkultur“", "Mit Körperkultur ist die Pflege der Gesundheit durch Bewegung gemeint."},
		{"Laute", "1. Phon = kleinste hörbare Einheit einer Äußerung\n2. Silbe = Gruppe von Lauten, die zusammen gesprochen wird\n", "kleinste hörbare", "Phon"},
		{"Logik", "- <mark style=\"background: #fff\">Belegung</mark> ist eine Abbildung von den Variablen in die Wahrheitswerte\n- Text\n", "„Belegung“", "Belegung ist eine Abbildung von den Variablen in die Wahrheitswerte"},
		{"Limits", "- a limit is a number that the terms of a sequence come near to\n- it is unique if there is one, and bounded sequences need not have one. Not every sequence has one.\n", "“limit”", "A limit is a number that the terms of a sequence come near to"},
	} {
		q := find(Derive(unitFrom(c.title, c.text)), c.prompt)
		if q == nil || q.Origin != Rule || q.Expected() != c.answer {
			t.Errorf("%s: %+v of %+v", c.title, q, Derive(unitFrom(c.title, c.text)))
		}
	}
}
