package archive

import (
	"fmt"
	"math"
)

// Limits bound what an archive may hold. Sizes are in bytes.
type Limits struct {
	Packed    int64 // the zip itself
	Unpacked  int64 // all files together, nested ones included
	File      int64 // one file
	Directory int64 // the central directory
	Entries   int   // files and directories, nested ones included

	// Ratio bounds unpacked over packed size, for one entry and for all, beyond RatioFloor unpacked bytes.
	Ratio      float64
	RatioFloor int64

	PathBytes int // one path
	PathDepth int // segments of one path

	NestedRead int // how deep zips inside the zip are read
	NestedList int // how deep they are listed
}

// Default is what the server takes (docs: "Archives").
var Default = Limits{
	Packed: 20 << 20, Unpacked: 64 << 20, File: 8 << 20, Directory: 512 << 10, Entries: 2000,
	Ratio: 50, RatioFloor: 1 << 20, PathBytes: 240, PathDepth: 8, NestedRead: 1, NestedList: 2,
}

// Local is for files of the member's own machine: any size, since reading streams; the rules of structure
// are the same. 1,032 is the most that deflate can do. The directory alone is held in memory: up to 64 MiB.
var Local = Limits{
	Packed: math.MaxInt64 / 4, Unpacked: math.MaxInt64 / 4, File: math.MaxInt64 / 4, Directory: 64 << 20, Entries: 500_000,
	Ratio: 1032, RatioFloor: 1 << 20, PathBytes: 1024, PathDepth: 64, NestedRead: 1, NestedList: 2,
}

// nestedBytes bounds a zip inside the zip, which is held in memory while it is read, when File does not.
const nestedBytes = 64 << 20

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
