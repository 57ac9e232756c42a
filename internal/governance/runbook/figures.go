package runbook

import "math"

// round keeps four decimals, as the contract's percentages have them.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// ratio is a share in per cent, 0 of none.
func ratio(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return round(100 * float64(part) / float64(of))
}
