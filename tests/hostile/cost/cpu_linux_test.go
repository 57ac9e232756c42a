package cost

import (
	"runtime"
	"syscall"
	"time"
)

// ofThread is RUSAGE_THREAD of getrusage(2).
const ofThread = 1

// cpu is the time of a processor that do takes on its thread. What others do on the machine hardly changes it.
func cpu(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(ofThread, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	do()
	return used() - before
}
