// Command peer is PocketBase as it ships, built here from a pinned version so that tests/load/mixed can measure it beside Stoa.
package main
