// Package sample holds a small vault of notes for those who have none at hand: the same notes in the languages of the
// pages, written for Stoa. It does no input or output.
package sample

import (
	"embed"
	"path"
	"sort"
	"strings"
)

//go:embed vault
var vault embed.FS

// IDs begins the ids of the notes of the vault, so that they can be told from a member's own.
const IDs = "sample-"

// Note is a note of the vault.
type Note struct{ ID, Path, Text string }

// File is a picture of the vault.
type File struct {
	Path    string
	Content []byte
}

// folders are what the vault is called, by language.
var folders = map[string]string{"en": "Sample notes", "zh": "示例笔记", "ja": "サンプルのノート"}

// Vault gives the notes and pictures in the language of a locale; in English where there is none in it.
func Vault(locale string) (notes []Note, files []File, err error) {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	folder, ok := folders[language]
	if !ok {
		language, folder = "en", folders["en"]
	}
	list, err := vault.ReadDir("vault/" + language)
	if err != nil {
		return nil, nil, err
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	for _, entry := range list {
		text, err := vault.ReadFile("vault/" + language + "/" + entry.Name())
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))
		notes = append(notes, Note{ID: IDs + language + "-" + strings.ReplaceAll(strings.ToLower(name), " ", "-"), Path: folder + "/" + entry.Name(), Text: string(text)})
	}
	picture, err := vault.ReadFile("vault/curve.png")
	return notes, []File{{Path: folder + "/curve.png", Content: picture}}, err
}

// Files gives the paths of the pictures in every language.
func Files() []string {
	var all []string
	for _, folder := range folders {
		all = append(all, folder+"/curve.png")
	}
	sort.Strings(all)
	return all
}
