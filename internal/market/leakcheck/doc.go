// Package leakcheck is the second proof that no credential leaves with a pack. It shares no rule and no code with
// market/redact: it reads the input by itself, remembers every value that stood where credentials stand, and searches
// whatever is about to leave for those values, also folded, split, turned round or encoded. What it finds was missed by the
// redaction, so the pack is refused.
//
// market/packing and app call it wherever a pack is made or imported.
package leakcheck
