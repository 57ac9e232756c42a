// Package s3test runs a real object store, versitygw over a temporary folder, and stands between it and whoever speaks to
// it when a test wants it slow, failing or gone. The tests of the blob store and, through apitest, of everything above it
// use it.
package s3test
