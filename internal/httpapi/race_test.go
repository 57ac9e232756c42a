//go:build race

package httpapi_test

const underRace = true
