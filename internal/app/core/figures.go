package core

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// Words is a list of texts, which clients also send as one text with commas.
type Words []string

// UnmarshalJSON reads a list or a text.
func (w *Words) UnmarshalJSON(b []byte) error {
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		list = strings.Split(text, ",")
	}
	for _, one := range list {
		if one = strings.TrimSpace(one); one != "" && !slices.Contains(*w, one) {
			*w = append(*w, one)
		}
	}
	return nil
}

// Rounded cuts a figure to so many digits after the point.
func Rounded(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	if r := math.Round(x*scale) / scale; r != 0 && !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return 0
}

// Truncate gives the first so many bytes of a text, whole characters only.
func Truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Mean is the mean of figures that were summed in millionths; 0 of none.
func Mean(sum, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n) / 1e6
}

// Percent is a share in per cent, 0 of none.
func Percent(part, of int64) float64 {
	if of == 0 {
		return 0
	}
	return Rounded(100*float64(part)/float64(of), 4)
}

// Millionths is a share as it is summed up: whole numbers add up the same in any order.
func Millionths(x float64) int64 { return int64(Rounded(x*1e6, 0)) }

// NonNil gives an empty list for none, so that JSON shows a list.
func NonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// PathCount is how often a path occurs.
type PathCount struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

// TopPaths orders counts by how often they occur, the most frequent first.
func TopPaths(counts map[string]int) []PathCount {
	top := make([]PathCount, 0, len(counts))
	for path, n := range counts {
		top = append(top, PathCount{path, n})
	}
	slices.SortFunc(top, func(a, b PathCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Path, b.Path)
	})
	return top[:min(5, len(top))]
}

// LongestDetail is how many bytes of a reason or of a detail are kept.
const LongestDetail = 280
