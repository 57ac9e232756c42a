// Package pack writes the zips that carry a template or a profile pack.
//
// The same document always gives the same bytes, so a package that was lost can be made again and
// still fit its digest. app calls it when a version is published and when a package is asked for.
package pack
