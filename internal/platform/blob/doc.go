// Package blob keeps bytes by their SHA-256 and answers only after they are durable: Folder on this machine's disk, S3 in
// an object store that several nodes share.
//
// app writes a blob before the row that names it, so a crash leaves an orphan at worst, never a row
// without bytes. Blobs are never changed; equal bytes are kept once.
package blob
