package measure

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Answer is one line of a log of answers.
type Answer struct {
	User, Item string
	Skills     []string // one or more; the answer stays one
	At         float64  // seconds since some fixed moment, if Timed
	Timed      bool
	Right      bool

	user, item, skill int // numbers of the names, the skills taken together; for the baselines
}

var answerColumns = []column{
	{name: "user", required: true, aliases: []string{"user_id", "user", "userid", "student_id", "student", "anon_student_id", "studentid", "learner_id", "uid"}},
	{name: "correct", required: true, aliases: []string{"correct", "is_correct", "outcome", "answer_correct", "correct_first_attempt", "right", "score", "response"}},
	{name: "item", aliases: []string{"item_id", "item", "problem_id", "question_id", "step_id", "problem", "question", "exercise_id", "assignment_id"}},
	{name: "skill", aliases: []string{"skill_id", "skill", "skills", "skill_ids", "kc", "kc_id", "concept_id", "concept", "atom_id", "knowledge_component", "skill_name"}},
	{name: "time", aliases: []string{"timestamp", "time", "start_time", "answered_at", "datetime", "date", "ms_first_response", "order_id"}},
}

// ReadAnswers reads a log with a header line: tab, comma or semicolon between the fields, columns in any order. Without
// a column of items or skills the other stands for both; without times, or if all are the same, the order of the lines is
// all that is known. Lines that make no sense are left out and counted. The answers of a person come in order of time.
func ReadAnswers(r io.Reader) (answers []Answer, bad int, err error) {
	t, err := readTable(r, answerColumns)
	if err != nil {
		return nil, 0, err
	}
	if t.at["item"] < 0 && t.at["skill"] < 0 {
		return nil, 0, fmt.Errorf("no column item_id or skill_id in the header")
	}
	bad = t.bad
	times := t.times("time")
	timed, first := false, 0.0
	for _, row := range t.rows {
		right, ok := truth(t.get(row, "correct"))
		a := Answer{User: t.get(row, "user"), Item: t.get(row, "item"), Right: right}
		a.Skills = skills(t.get(row, "skill"))
		if a.Item == "" && len(a.Skills) > 0 {
			a.Item = strings.Join(a.Skills, "\x1f")
		}
		if len(a.Skills) == 0 && t.at["skill"] < 0 {
			a.Skills = []string{a.Item}
		} else if len(a.Skills) == 0 {
			a.Skills = []string{"no skill"}
		}
		if !ok || a.User == "" || a.Item == "" {
			bad++
			continue
		}
		a.At, a.Timed = times(row)
		if len(answers) == 0 {
			first = a.At
		}
		timed = timed || a.Timed && a.At != first
		answers = append(answers, a)
	}
	if len(answers) == 0 {
		return nil, bad, fmt.Errorf("no line holds an answer (of %d)", bad)
	}
	if !timed {
		for i := range answers {
			answers[i].Timed = false
		}
	}
	return answers, bad, nil
}

// truth reads 0 and 1, words, and shares, of which a half and more is right.
func truth(s string) (right, ok bool) {
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		return x >= 0.5, x >= 0 && x <= 1
	}
	switch strings.ToLower(s) {
	case "true", "correct", "right", "yes", "t", "y":
		return true, true
	case "false", "incorrect", "wrong", "no", "f", "n", "partial", "skipped":
		return false, true
	}
	return false, false
}

// skills splits what several skills are usually joined with. Comma, underscore, plus and blank only part numbers, as
// they also stand in names.
func skills(s string) []string {
	if s == "" || strings.EqualFold(s, "nan") || strings.EqualFold(s, "na") || strings.EqualFold(s, "null") || s == "-1" {
		return nil
	}
	s = strings.Trim(s, "[]{}")
	for _, sep := range []string{"~~", ";", "|", ",", "_", "+", " "} {
		parts := strings.Split(s, sep)
		if len(parts) == 1 {
			continue
		}
		var kept []string
		numbers := true
		for _, p := range parts {
			p = strings.Trim(strings.TrimSpace(p), `'"`)
			if _, err := strconv.Atoi(p); err != nil {
				numbers = false
			}
			if p != "" && !slices.Contains(kept, p) {
				kept = append(kept, p)
			}
		}
		if numbers || sep == "~~" || sep == ";" || sep == "|" {
			return kept
		}
	}
	return []string{s}
}

// hashOf is a fixed hash of a name, the same on every machine.
func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	x := h.Sum64()
	x ^= x >> 33 // FNV's low bits are poor; this is the finisher of MurmurHash3
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// people orders answers person by person, persons by hash, each one's answers by time. So nothing depends on how a
// file was sorted.
func people(answers []Answer) []Answer {
	hashes := map[string]uint64{}
	for _, a := range answers {
		if _, ok := hashes[a.User]; !ok {
			hashes[a.User] = hashOf(a.User)
		}
	}
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(a, b Answer) int {
		c := cmp.Or(cmp.Compare(hashes[a.User], hashes[b.User]), cmp.Compare(a.User, b.User))
		if c == 0 && a.Timed && b.Timed {
			c = cmp.Compare(a.At, b.At)
		}
		return c
	})
	return sorted
}

// holdOut keeps a fifth of the people, chosen by hash, for the test. If that leaves nobody on one side, the last fifth
// of the answers is the test.
func holdOut(answers []Answer) (train, test []Answer) {
	for _, a := range answers {
		if hashOf("held out "+a.User)%5 == 0 {
			test = append(test, a)
		} else {
			train = append(train, a)
		}
	}
	if len(train) > 0 && len(test) > 0 {
		return people(train), people(test)
	}
	all := people(answers)
	cut := len(all) * 4 / 5
	return all[:cut], all[cut:]
}

// number gives names numbers, the same in train and test.
func number(train, test []Answer) (users, items, skillSets int) {
	userIDs, itemIDs, skillIDs := map[string]int{}, map[string]int{}, map[string]int{}
	id := func(m map[string]int, name string) int {
		n, ok := m[name]
		if !ok {
			n = len(m)
			m[name] = n
		}
		return n
	}
	for _, part := range [][]Answer{train, test} {
		for i := range part {
			a := &part[i]
			a.user, a.item, a.skill = id(userIDs, a.User), id(itemIDs, a.Item), id(skillIDs, strings.Join(a.Skills, "\x1f"))
		}
	}
	return len(userIDs), len(itemIDs), len(skillIDs)
}
