//go:build !linux

package cost

import "time"

// cpu is the time that do takes.
func cpu(do func()) time.Duration {
	before := time.Now()
	do()
	return time.Since(before)
}
