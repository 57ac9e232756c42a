//go:build race

package httpapi_test

// underRace says that memory is not what it is in earnest.
const underRace = true
