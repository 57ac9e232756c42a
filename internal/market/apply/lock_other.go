//go:build !unix

package apply

import "os"

// lockFile does nothing where there is no flock: that each step finds what it expects is what protects there.
func lockFile(*os.File) error { return nil }

// syncDir does nothing: folders cannot be brought to disk there.
func syncDir(*os.File) error { return nil }
