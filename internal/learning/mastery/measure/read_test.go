package measure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/measure"
)

func TestReadReviews(t *testing.T) {
	const first = 1711744352.25
	want := []measure.Review{
		{Card: "7", Grade: fsrs.Again, At: first}, {Card: "8", Grade: fsrs.Good, At: first + 7}, {Card: "7", Grade: fsrs.Easy, At: first + 86400},
	}
	for name, c := range map[string]struct {
		text string
		bad  int
	}{
		"py-fsrs":      {"card_id,review_rating,review_time,review_duration\n7,1,2024-03-29T20:32:32.25+00:00,9\n8,3,2024-03-29T20:32:39.250000+00:00,9\n7,4,2024-03-30T20:32:32.25Z,9\n", 0},
		"any order":    {"Review Time\tCard ID\tRating\n2024-03-30 20:32:32.25\t7\t4\n2024-03-29 20:32:39.25\t8\t3\n2024-03-29 20:32:32.25\t7\t1\n", 0},
		"milliseconds": {"rating;cid;timestamp\n1;7;1711744352250\n3;8;1711744359250\n4;7;1711830752250\n", 0},
		"microseconds": {"\ufeffease,card,time\r\n1,7,1711744352250000\r\n3,8,1711744359250000\r\n4,7,1711830752250000\r\n", 0},
		"seconds":      {"ease,card,time\n1,7,1711744352.25\n3,8,1711744359.25\n4,7,1711830752.25\n", 0},
		"words":        {"grade,card,time\nAgain,7,1711744352.25\ngood,8,1711744359.25\nEASY,7,1711830752.25\n", 0},
		"bad lines": {"card_id,review_rating,review_time\n7,1,1711744352.25\n\n8\n9,x,1711744352\n9,7,1711744352\n,3,1711744352\n9,0,1711744352\n" +
			"9,3,NaN\n9,3,tomorrow\n9,2.5,1711744352\n8,3,1711744359.25,more,fields\n7,4,1711830752.25\n", 8},
	} {
		got, bad, err := measure.ReadReviews(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-3)); diff != "" || bad != c.bad {
			t.Errorf("%s: %d bad lines, %s", name, bad, diff)
		}
	}
}

func TestReviewScales(t *testing.T) {
	for text, want := range map[string][]fsrs.Grade{
		"card,correct,day\na,1,3\na,0,4\n":                      {fsrs.Good, fsrs.Again},
		"card,quality,day\na,5,3\na,3,4\na,0,5\na,2,6\na,4,7\n": {fsrs.Easy, fsrs.Hard, fsrs.Again, fsrs.Again, fsrs.Good},
		"user_id,card,rating,day_offset\nu,a,2,0\nu,a,3,9\n":    {fsrs.Hard, fsrs.Good},
	} {
		got, bad, err := measure.ReadReviews(strings.NewReader(text))
		if err != nil || bad != 0 {
			t.Fatal(err, bad)
		}
		var grades []fsrs.Grade
		for _, r := range got {
			grades = append(grades, r.Grade)
		}
		if diff := cmp.Diff(want, grades); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if apart := got[1].At - got[0].At; math.Mod(apart, 86400) != 0 || apart == 0 {
			t.Errorf("%q: days are %v seconds", text, apart)
		}
	}
}

func TestReadAnswers(t *testing.T) {
	same := cmpopts.IgnoreUnexported(measure.Answer{})
	for name, c := range map[string]struct {
		text string
		bad  int
		want []measure.Answer
	}{
		"plain": {"user_id\titem_id\ttimestamp\tcorrect\tskill_id\n1\tq\t10\t1\ts\n1\tr\t20\t0\ts\n", 0, []measure.Answer{
			{User: "1", Item: "q", Skills: []string{"s"}, At: 10, Timed: true, Right: true}, {User: "1", Item: "r", Skills: []string{"s"}, At: 20, Timed: true},
		}},
		"other order, no time": {"correct,skill_name,student_id,problem_id\n1,Addition, whole,x\n0,\"Addition, whole\",x,p\n", 0, []measure.Answer{
			{User: "whole", Item: "x", Skills: []string{"Addition"}, Right: true}, {User: "x", Item: "p", Skills: []string{"Addition, whole"}},
		}},
		"no use of times": {"user_id,item_id,timestamp,correct,skill_id\n1,q,0,1,s\n1,r,0,false,t\n", 0, []measure.Answer{
			{User: "1", Item: "q", Skills: []string{"s"}, Right: true}, {User: "1", Item: "r", Skills: []string{"t"}},
		}},
		"several skills": {"user_id,item_id,correct,skill_id\n1,q,1,Add fractions~~Simplify~~Simplify\n1,q,1,3_14_15\n1,q,1,\n1,q,1,\"[2, 5]\"\n", 0, []measure.Answer{
			{User: "1", Item: "q", Skills: []string{"Add fractions", "Simplify"}, Right: true},
			{User: "1", Item: "q", Skills: []string{"3", "14", "15"}, Right: true},
			{User: "1", Item: "q", Skills: []string{"no skill"}, Right: true},
			{User: "1", Item: "q", Skills: []string{"2", "5"}, Right: true},
		}},
		"bad lines": {"user_id,skill_id,correct\n1,s,1\n1,s\n,s,1\n2,s,maybe\n2,s,-1\n2,s,7\n2,s,0.25\n", 5, []measure.Answer{
			{User: "1", Item: "s", Skills: []string{"s"}, Right: true}, {User: "2", Item: "s", Skills: []string{"s"}},
		}},
	} {
		got, bad, err := measure.ReadAnswers(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !c.want[0].Timed {
			for i := range got {
				got[i].At = 0
			}
		}
		if diff := cmp.Diff(c.want, got, same); diff != "" || bad != c.bad {
			t.Errorf("%s: %d bad lines, %s", name, bad, diff)
		}
	}
}

func TestUnreadable(t *testing.T) {
	for _, text := range []string{"", "\n", "a,b,c\n1,2,3\n", "user_id,correct\n1,1\n", "user_id,item_id,correct,card_id,rating,time\n", "\x00\xff"} {
		if _, _, err := measure.ReadAnswers(strings.NewReader(text)); err == nil {
			t.Errorf("answers in %q", text)
		}
		if _, _, err := measure.ReadReviews(strings.NewReader(text)); err == nil {
			t.Errorf("reviews in %q", text)
		}
	}
}

func FuzzLogs(f *testing.F) {
	f.Add("user_id,item_id,timestamp,correct,skill_id\n1,q,10,1,a~~b\n1,r,20,0,s\n2,q,3,1,s\n")
	f.Add("card_id,review_rating,review_time\n7,1,2024-03-29T20:32:32.25Z\n7,3,2024-04-29\n7,3,1e300\n")
	f.Add("user,card,ease,days,item,correct\n1,1,1,1,1,1\n1,1,1,9,1,1\n1,1,1,-9e9,1,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if answers, bad, err := measure.ReadAnswers(strings.NewReader(text)); err == nil && len(answers) < 50 {
			for _, m := range measure.Mastery(nil, answers, bad).Models {
				if !(m.LogLoss >= 0 && m.AUC >= 0 && m.AUC <= 1 && m.ECE >= 0 && m.ECE <= 1) {
					t.Fatalf("%+v", m)
				}
			}
		}
		if reviews, bad, err := measure.ReadReviews(strings.NewReader(text)); err == nil && len(reviews) < 50 {
			for _, m := range measure.Recall(reviews, bad).Models {
				if !(m.LogLoss >= 0 && m.AUC >= 0 && m.AUC <= 1 && m.ECE >= 0 && m.ECE <= 1 && m.RMSEBins >= 0) {
					t.Fatalf("%+v", m)
				}
			}
		}
	})
}
