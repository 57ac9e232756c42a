package api

import _ "embed"

// YAML is api/openapi.yaml as it stands: the contract that the server reads, serves and is tested against.
//
//go:embed openapi.yaml
var YAML []byte
