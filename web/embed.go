// Package web carries the built pages of the four web surfaces and of the API documentation.
// It owns nothing but the files; internal/httpapi serves them.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files answers the built files: market.html, member.html, learn.html, runtime.html, assets/ and docs/, or only
// placeholder.html when the pages have not been built.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a constant and a valid path
	}
	return files
}
