// Package latex expands the macros that authors define for the formulas of their notes: in the notes themselves, and in a file of definitions
// that a vault keeps. What it gives has the commands of LaTeX alone, so that the page can draw it without the definitions.
//
// Its time and memory are bounded: a formula that would take more than its bounds stays as it is written.
package latex
