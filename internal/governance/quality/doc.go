// Package quality says whether learning gets better: what a snapshot holds, which gates it is held to against a
// baseline, how two windows of snapshots compare, and a control chart that decides whether a change is more than chance.
//
// It owns the figures and rules alone: values in, values out. internal/app takes snapshots and keeps them.
package quality
