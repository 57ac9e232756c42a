// Package cost looks for inputs that cost much for each of their bytes, in every reader of strangers' bytes. An input is a
// shape that can be made of any size, so that what is found is the growth and not a number: twice the bytes may cost about
// twice the work. The worst shapes found are kept in testdata and tried again by the suite; -cost.search looks for more.
package cost
