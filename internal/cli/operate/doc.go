// Package operate has the commands of whoever runs the server. They work on the store directly, also while a server runs; nothing
// that they do can be reached over HTTP. One file per command; settings.go has the settings in force, open.go opens the stores.
package operate
