package path

import "slices"

// Minutes is the time that the person will take for an action of a kind on a text of so many letters.
func (t *Traits) Minutes(k Kind, letters int) float64 {
	f := t.Pace.factors()
	return usual(k, letters) * f[max(0, slices.Index(kindOrder[:], k))]
}
