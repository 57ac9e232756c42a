// Package drill takes a backup of a server under load, restores it elsewhere and looks at what is there.
package drill
