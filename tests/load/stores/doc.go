// Package stores makes the big stores that the load programme measures: data folders with 100,000 or
// 1,000,000 published templates and 64 members, kept between runs.
//
// Rows are written by package store's own transactions, rendered and indexed as internal/app publishes
// them, 500 items at a time. Two things differ from publishing one by one: all packages are the same
// few bytes (a million files would measure the file system), and counters of use are set directly.
//
// Texts are drawn from the words of the real catalog of 505 templates in their real frequencies:
// titles of 2 to 4 words, descriptions of 12 to 25, prompts of 60 to 120, three to six of 634 tags.
package stores
