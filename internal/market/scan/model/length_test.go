package model

import "testing"

func TestShortTextsAreFlaggedSoonerThanLongOnes(t *testing.T) {
	w := Default()
	for _, lang := range []string{"en", "zh", "ja", "ko"} {
		short, middle, long := w.For(lang, ShortBytes-1), w.For(lang, LongBytes-1), w.For(lang, LongBytes)
		if short.Balanced >= middle.Balanced || middle.Balanced >= long.Balanced || short.Strict >= middle.Strict || middle.Strict >= long.Strict {
			t.Errorf("%s: %v %v %v", lang, short, middle, long)
		}
	}
}
