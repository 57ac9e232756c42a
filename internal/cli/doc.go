// Package cli is what all commands share: where a command writes (Output: text for people, or JSON), how it says what went wrong,
// what it shows of a package, and how it reads folders of notes. The commands are in operate (server and catalog, on the store),
// member (on a member's own machine, through the package client) and evaluate (figures of the models); cmd/stoa puts them together.
package cli
