package pack

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"stoa/internal/platform/errs"
)

// IsTemplate tells whether files look like a template package: bundle.json lies at their top.
func IsTemplate(files Files) bool { return files.Size(bundleFile) >= 0 }

// WriteTemplate packs the files of a template as they are, bundle.json first and the others by name, streaming. What it
// writes is checked by ReadTemplate, not here. Files whose names begin with a dot are left out.
func WriteTemplate(out io.Writer, files Files) error {
	names := []string{bundleFile}
	for _, name := range slices.Sorted(slices.Values(files.Names())) {
		if name != bundleFile && !hidden(name) {
			names = append(names, name)
		}
	}
	w := zip.NewWriter(out)
	for _, name := range names {
		if err := copyFile(w, files, name); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return nil
}

func copyFile(w *zip.Writer, files Files, name string) error {
	in, err := files.Open(name)
	if err != nil {
		return unreadable(errs.InvalidPackagePayload, name, err)
	}
	defer in.Close()
	f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: stamp})
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	var content io.Reader = in
	if IsPicture(name) {
		picture, err := io.ReadAll(io.LimitReader(in, maxPictureBytes+1))
		if err != nil {
			return unreadable(errs.InvalidPackagePayload, name, err)
		}
		if bare, ok := barePicture(picture); ok {
			picture = bare
		}
		content = bytes.NewReader(picture) // what is no picture is refused when the package is read
	}
	if _, err := io.Copy(f, content); err != nil {
		return unreadable(errs.InvalidPackagePayload, name, err)
	}
	return nil
}

func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" || part == "Thumbs.db" {
			return true
		}
	}
	return false
}
