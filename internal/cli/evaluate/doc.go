// Package evaluate has the commands that measure and train the models of this program: `stoa eval` and `stoa train`.
package evaluate
