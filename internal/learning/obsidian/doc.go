// Package obsidian reads the settings of an Obsidian vault that say how its notes are read: folders of templates, the macros of formulas, and the marks of the cards
// of the plug-in Spaced Repetition.
//
// It also reads and changes the schedules that the plug-in Spaced Repetition keeps in the notes of an Obsidian vault: in a comment behind a
// card, <!--SR:!2024-01-05,4,270!2000-01-01,1,250-->, one entry for each question of the card, and in three keys of the front matter for a note
// that is reviewed as a whole. It changes the bytes of such values and no others.
package obsidian
