package feed

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/market/card"
)

// SkillsSchema names version 0.2.0 of the discovery of agent skills.
const SkillsSchema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

// NamedSkill is a skill under the name that it has in one index.
type NamedSkill struct {
	Name string
	Row  *Row
	At   int // in the row's Skills
}

// NameSkills gives every skill of rows a name of its own, sorted by name. Of several with one name, that of the item that was
// published first keeps it; the others get their publisher's before it.
func NameSkills(rows []*Row) []NamedSkill {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *Row) int { return cmp.Compare(a.Seq, b.Seq) })
	taken := map[string]bool{}
	var out []NamedSkill
	for _, r := range rows {
		for i, s := range r.Skills {
			name := s.Name
			if taken[name] {
				owner, _, _ := strings.Cut(r.ID, "/")
				name = card.SkillName(owner + "-" + s.Name)
			}
			for n := 2; taken[name]; n++ {
				name = card.SkillName(s.Name[:min(len(s.Name), 50)] + "-" + strconv.Itoa(n))
			}
			taken[name] = true
			out = append(out, NamedSkill{name, r, i})
		}
	}
	slices.SortFunc(out, func(a, b NamedSkill) int { return strings.Compare(a.Name, b.Name) })
	return out
}

type skillEntry struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

type earlySkillEntry struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
}

// SkillIndex writes version 0.2.0 of the index.
func SkillIndex(skills []NamedSkill) []byte {
	out := struct {
		Schema string       `json:"$schema"`
		Skills []skillEntry `json:"skills"`
	}{SkillsSchema, make([]skillEntry, 0, len(skills))}
	for _, s := range skills {
		row := s.Row.Skills[s.At]
		out.Skills = append(out.Skills, skillEntry{s.Name, "skill-md", row.Description, s.Name + "/SKILL.md", "sha256:" + row.Digest})
	}
	return compact(out)
}

// EarlySkillIndex writes version 0.1 of the index.
func EarlySkillIndex(skills []NamedSkill) []byte {
	out := struct {
		Skills []earlySkillEntry `json:"skills"`
	}{make([]earlySkillEntry, 0, len(skills))}
	for _, s := range skills {
		out.Skills = append(out.Skills, earlySkillEntry{s.Name, s.Row.Skills[s.At].Description, []string{"SKILL.md"}})
	}
	return compact(out)
}

// SkillHit is a skill that a search found.
type SkillHit struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Installs int64  `json:"installs"` // not told: counts are not in the feeds
	Source   string `json:"source"`
}
