package reviewlog

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What is written is read back as it was, in the order of times.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Review
		at := time.UnixMilli(1_600_000_000_000).UTC()
		for range rapid.IntRange(0, 40).Draw(t, "reviews") {
			at = at.Add(time.Duration(rapid.Int64Range(1, 1e9).Draw(t, "later")) * time.Millisecond)
			list = append(list, Review{
				Card: rapid.SampledFrom([]string{"1700000000001", "atm_a", `a "b", c`}).Draw(t, "card"), At: at, Grade: rapid.IntRange(1, 4).Draw(t, "grade"),
				Took: time.Duration(rapid.Int64Range(0, 60_000).Draw(t, "took")) * time.Millisecond,
			})
		}
		shuffled := rapid.Permutation(list).Draw(t, "order")
		var b bytes.Buffer
		if err := Write(&b, shuffled); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&b)
		if err != nil || !cmp.Equal(list, slices.Clip(back)) && len(list)+len(back) > 0 {
			t.Fatalf("%v\n%s", err, cmp.Diff(list, back))
		}
	})
}

func TestStatesOfACard(t *testing.T) {
	day := func(n int) time.Time { return time.UnixMilli(int64(n) * 86_400_000).UTC() }
	var b bytes.Buffer
	if err := Write(&b, []Review{{"7", day(3), 1, time.Second}, {"7", day(1), 3, 0}, {"7", day(2), 4, 0}, {"7", day(4), 2, 0}}); err != nil {
		t.Fatal(err)
	}
	const want = "card_id,review_time,review_rating,review_state,review_duration\n7,86400000,3,0,0\n7,172800000,4,2,0\n7,259200000,1,2,1000\n7,345600000,2,3,0\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}

// What is wrong is named with its line; nothing is read in half.
func TestWhatIsWrongIsSaid(t *testing.T) {
	for text, word := range map[string]string{
		"": "columns", "card_id,review_time\n": "review_rating is missing",
		"card_id,review_time,review_rating\n1,86400000,3\n1,86400001,5\n":                  "line 3: review_rating",
		"card_id,review_time,review_rating\n1,yesterday,3\n":                               "line 2: review_time",
		"card_id,review_time,review_rating\n,86400000,3\n":                                 "card_id",
		"card_id,review_time,review_rating,review_duration\n1,86400000,3,-1\n":             "review_duration",
		"card_id,review_time,review_rating\n\"1,86400000,3\n":                              "not CSV",
		"card_id,review_time,review_rating\n" + strings.Repeat("x", 300) + ",86400000,3\n": "too long",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q", text, err, word)
		}
	}
	list, err := Read(strings.NewReader("\ufeffreview_rating,other,card_id,review_time\n4,x,9,86400000\n"))
	if err != nil || len(list) != 1 || list[0].Card != "9" || list[0].Grade != 4 {
		t.Errorf("%v %v", list, err)
	}
}
