package retrieval

import (
	"math"
	"unicode/utf8"
)

const (
	localDims = 256
	// maxEmbedded bounds the bytes of a text that its vector is made of.
	maxEmbedded = 16 << 10
)

// embed gives a vector of a text without any model: signed feature hashing (Weinberger et al. 2009) of its words and of
// the three-letter pieces of its words, so that "integral" and "integrals" are near. Repetitions count by their
// logarithm, short words less, the title twice. It knows nothing of meaning: synonyms are found by relations, or by a
// remote embedder.
func embed(title, content []string) []float32 {
	weights := map[string]float64{}
	for _, w := range content {
		weights[w]++
	}
	for w, n := range weights {
		weights[w] = 1 + math.Log(n)
	}
	for _, w := range title {
		weights[w] += 2
	}
	v := make([]float32, localDims)
	for w, weight := range weights {
		letters := utf8.RuneCountInString(w)
		weight *= math.Min(1, float64(letters*len(w))/25) // what is short and common says little; Han is short and does not
		if letters < len(w) {
			weight = math.Max(weight, 0.6)
		}
		scatter(v, w, float32(weight))
		if letters < 5 {
			continue
		}
		piece := float32(weight * 0.8 / math.Sqrt(float64(letters)))
		runes := []rune("^" + w + "$")
		for i := 0; i+3 <= len(runes) && i < 32; i++ {
			scatter(v, "\x00"+string(runes[i:i+3]), piece)
		}
	}
	return v
}

// scatter adds a feature to two places of a vector, with signs.
func scatter(v []float32, feature string, weight float32) {
	h := hash(feature)
	for range 2 {
		at := h % localDims
		if h>>8&1 == 0 {
			v[at] += weight
		} else {
			v[at] -= weight
		}
		h >>= 24
	}
}

// hash is FNV-1a with a finish; it must be the same in every process, for vectors are kept.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// quantize scales a vector to length 1 and its parts to whole numbers: of 256 parts of a unit vector few are above a
// half, so the largest part is made 127 and the scale is left out: cosines need none.
func quantize(v []float32, dims int) []int8 {
	q := make([]int8, dims)
	largest := 0.0
	for _, f := range v {
		largest = math.Max(largest, math.Abs(float64(f)))
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return q
	}
	for i := range q {
		if i < len(v) {
			q[i] = int8(math.Round(float64(v[i]) / largest * 127))
		}
	}
	return q
}

func dot(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += int32(a[i]) * int32(b[i])
		s1 += int32(a[i+1]) * int32(b[i+1])
		s2 += int32(a[i+2]) * int32(b[i+2])
		s3 += int32(a[i+3]) * int32(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

func norm(a []int8) float32 { return float32(math.Sqrt(float64(dot(a, a)))) }

func cosine(a, b []int8, na, nb float32) float64 {
	if na == 0 || nb == 0 {
		return 0
	}
	return float64(dot(a, b)) / float64(na*nb)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
