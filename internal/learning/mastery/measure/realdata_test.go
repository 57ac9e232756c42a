package measure_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/learning/mastery/measure"
)

// open gives a file of the shared data, which lies beside the repository, or skips.
func open(t *testing.T, name string) *os.File {
	root := os.Getenv("STOA_SHARED_DATA")
	if root == "" {
		root = "/work/shared/data"
	}
	f, err := os.Open(filepath.Join(root, name))
	if err != nil {
		t.Skip("the shared data is not here:", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// The goals of issue 6 on logs of real people, with room for a change of the model that costs little.
func TestRealReviews(t *testing.T) {
	reviews, bad, err := measure.ReadReviews(open(t, "srs/pyfsrs_review_logs_josh.csv"))
	if err != nil || bad != 0 || len(reviews) != 12580 {
		t.Fatal(len(reviews), bad, err)
	}
	if r := measure.Recall(reviews, bad); r.LogLoss > 0.437 || r.AUC < 0.68 || r.RMSEBins > 0.045 {
		t.Errorf("%+v", r.RecallFigures)
	}
}

// TestNeverWorseThanDefaults: at no length of a history are predictions worse than those of FSRS-6's defaults by more than
// 0.002, whether the log is one person's or dealt to many.
func TestNeverWorseThanDefaults(t *testing.T) {
	for _, people := range []int{1, 8, 40, 400} {
		reviews, bad, err := measure.ReadReviews(open(t, "srs/pyfsrs_review_logs_josh.csv"))
		if err != nil {
			t.Fatal(err)
		}
		measure.Deal(reviews, people)
		for _, l := range measure.Recall(reviews, bad).Lengths {
			if l.Up > 0.002 {
				t.Errorf("%d people: %+v", people, l)
			}
		}
	}
}

func TestRealAnswers(t *testing.T) {
	answers, bad, err := measure.ReadAnswers(open(t, "kt/assistments17_firstattempt_testusers.tsv"))
	if err != nil || bad != 0 || len(answers) != 90586 {
		t.Fatal(len(answers), bad, err)
	}
	r := measure.Mastery(nil, answers[:30000], bad) // a third, for time's sake; stoa eval mastery takes all
	for _, m := range r.Models {
		if m.Model == "BKT (grid per skill)" && r.AUC < m.AUC+0.03 || m.Model != r.Model && r.LogLoss > m.LogLoss {
			t.Errorf("%+v, ours %+v", m, r.ModelFigures)
		}
	}
	if r.ECE > 0.03 {
		t.Errorf("%+v", r.ModelFigures)
	}
}
