package limits

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The longest of who holds more than a quarter is cut off first, else the longest of all; what was sent is not.
func TestWhoIsCutOff(t *testing.T) {
	o := NewOutgoing(100, 0)
	var cut []string
	enter := func(name, address string, bytes int64) *sending {
		return o.Enter(address, bytes, func() { cut = append(cut, name) })
	}
	first := enter("first", "a", 25)
	enter("second", "b", 25)
	enter("third", "b", 25)
	enter("fourth", "c", 25)
	o.Leave(first)
	enter("fifth", "d", 25)
	if len(cut) != 0 {
		t.Fatalf("%v were cut off with room left", cut)
	}
	enter("sixth", "e", 25) // b holds 50
	if !slices.Equal(cut, []string{"second"}) {
		t.Errorf("%v", cut)
	}
	enter("seventh", "f", 25) // nobody holds more than a quarter
	if !slices.Equal(cut, []string{"second", "third"}) {
		t.Errorf("%v", cut)
	}
	enter("eighth", "g", 300) // larger than all the room: it is sent alone
	if len(cut) != 6 || o.all != 300 {
		t.Errorf("%v, %d bytes", cut, o.all)
	}
}

// What is held never goes beyond the bound but for one answer, and the sums are those of what is being sent.
func TestSumsOfAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := NewOutgoing(1000, 0)
		var open []*sending
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(open) > 0 && rapid.Bool().Draw(t, "leave") {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				o.Leave(open[i])
				open = slices.Delete(open, i, i+1)
			} else {
				open = append(open, o.Enter(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "address"), rapid.Int64Range(1, 700).Draw(t, "bytes"), func() {}))
			}
			var all int64
			of := map[string]int64{}
			for _, s := range open {
				if s.at != nil {
					all += s.bytes
					of[s.address] += s.bytes
				}
			}
			if all != o.all || all > 1000 || len(of) != len(o.of) {
				t.Fatalf("%d bytes are held and %d counted, %v and %v", all, o.all, of, o.of)
			}
		}
	})
}
