// Package catalog is the index in memory behind every public list.
package catalog
