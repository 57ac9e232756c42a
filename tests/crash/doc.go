// Package crash holds the test that kills a working server at random moments and looks at what is left:
// whatever was answered must be there, whatever is there must agree with itself.
//
// It runs the real binary on loopback with a data folder of its own. Five rounds with -short, else fifty
// in under a minute. STOA_CRASH_SEED repeats a run's random moments.
package crash
