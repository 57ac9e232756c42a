package simulate

import "testing"

func BenchmarkRun(b *testing.B) {
	for range b.N {
		Run(Options{Students: 1, Workers: 1, Worlds: Worlds[:2]})
	}
}
