// Package simulate measures the strategies on simulated students: worlds that differ in how learning and forgetting
// work, a tutor that sees answers only, the strategies of internal/learning/path and fixed baselines, and retention
// thirty days after the last session. It is called by `stoa eval strategies`.
//
// A world's truth (what a student has learned, how fast it fades, whether prerequisites matter, which edges are right)
// never reaches a policy: policies plan from a path.View that the tutor builds out of what it believes. Draws depend on
// student, concept and attempt only (common random numbers), so that policies meet the same luck.
package simulate
