// Command clientgen writes the package client/contract from api/openapi.yaml: a type for each schema, named as there, and a
// method for each operation that answers JSON. Run it from the root of the tree: go run ./internal/clientgen.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"stoa/api"
)

func main() {
	files, err := generate(api.YAML)
	for name, code := range files {
		if err == nil {
			err = os.WriteFile(filepath.FromSlash(name), code, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clientgen:", err)
		os.Exit(1)
	}
}
