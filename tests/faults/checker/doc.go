// Package checker judges a history of what clients asked of several nodes and were answered, in the manner of Jepsen:
// whether what was acknowledged is kept, what was asked twice was done once, nobody sees another's, and nobody sees
// what was older than it may be.
//
// A request that was refused or not answered may have been carried out, at once or later; whatever it could have
// done is allowed from then on, and nothing else.
package checker
