// Package packing makes what leaves a member's machine: of a setup that market/botimport has read it takes what is
// wanted, redacts it, writes the pack and proves over the written bytes that no secret is left; and for the owner it
// puts sealed values back in their places.
//
// `stoa pack`, `stoa publish`, `stoa install` and `stoa decrypt` call it. It needs no server and no database.
package packing
