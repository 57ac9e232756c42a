// Package member has the commands of members: they touch no store, work on the member's own machine and speak to a server through
// the package client. One file per command; credentials.go knows the servers that the member signed in to.
package member
