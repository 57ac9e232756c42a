// Package limits bounds what clients may use of a server: how many requests a second (buckets.go), how slowly a body may come
// (body.go), how many uploads a member may have under way (slots.go), how much memory answers hold that are taken slowly
// (outgoing.go), and how many lines strangers may write into the log (lines.go).
package limits
