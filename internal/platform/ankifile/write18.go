package ankifile

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"

	"stoa/internal/learning/anki"
)

// modernRows writes note types, decks, options and settings as the messages of schema 18. What came in this schema goes
// back as it came.
func modernRows(ctx context.Context, tx *sql.Tx, c *anki.Collection) error {
	h := &c.Col
	if _, err := tx.ExecContext(ctx, `INSERT INTO col VALUES (1,?,?,?,18,?,?,?,'','','','','')`, h.Created, h.Modified, h.SchemaModified, h.Dirty, h.USN, h.LastSync); err != nil {
		return err
	}
	if err := modernTypes(ctx, tx, c); err != nil {
		return err
	}
	names := distinctNames{}
	decks := c.Decks
	if c.Schema != 18 && (len(decks) == 0 || decks[0].ID != 1) {
		decks = append([]anki.Deck{{ID: 1, Name: "Default"}}, decks...)
	}
	for _, d := range decks {
		common, kind, usn := d.Common, d.Kind, d.USN
		if kind == nil {
			common, kind, usn = []byte{}, message{}.inner(1, message{}.num(1, 1)), -1 // a normal deck with the options of number 1
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO decks VALUES (?,?,?,?,?,?)`, d.ID, names.of(strings.ReplaceAll(d.Name, "::", "\x1f"), d.ID), made(c, d.Modified), usn, bytesOf(common), bytesOf(kind)); err != nil {
			return err
		}
	}
	return modernSettings(ctx, tx, c)
}

// made is when something changed last, in seconds: of what was made here when the collection was.
func made(c *anki.Collection, modified int64) int64 {
	if c.Schema == 18 {
		return modified
	}
	return cmp.Or(modified, c.Col.Created)
}

func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// distinctNames tells names apart, which are unique in this schema.
type distinctNames map[string]bool

func (n distinctNames) of(name string, id int64) string {
	if folded := strings.ToLower(name); n[folded] || name == "" {
		name = strings.TrimSpace(fmt.Sprintf("%s %d", name, id))
	}
	n[strings.ToLower(name)] = true
	return name
}

func modernTypes(ctx context.Context, tx *sql.Tx, c *anki.Collection) error {
	names := distinctNames{}
	for i := range c.Models {
		m := &c.Models[i]
		config, modified := m.Config, made(c, m.Modified)
		usn := m.USN
		if config == nil {
			kind := message{}
			if m.Cloze {
				kind = kind.num(1, 1)
			}
			config, usn = kind.text(3, m.CSS).text(5, "\\documentclass[12pt]{article}\n\\begin{document}\n").text(6, "\\end{document}"), -1
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO notetypes VALUES (?,?,?,?,?)`, m.ID, names.of(m.Name, m.ID), modified, usn, config); err != nil {
			return err
		}
		parts := distinctNames{}
		for ord, name := range m.Fields {
			config := []byte(message{}.text(3, "Arial").num(4, 20))
			if ord < len(m.FieldConfigs) {
				config = bytesOf(m.FieldConfigs[ord])
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO fields VALUES (?,?,?,?)`, m.ID, ord, parts.of(name, int64(ord)), config); err != nil {
				return err
			}
		}
		parts = distinctNames{}
		for ord, t := range m.Templates {
			config, usn := t.Config, t.USN
			if config == nil {
				config, usn = message{}.text(1, t.Front).text(2, t.Back), -1
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO templates VALUES (?,?,?,?,?,?)`, m.ID, ord, parts.of(t.Name, int64(ord)), made(c, t.Modified), usn, config); err != nil {
				return err
			}
		}
	}
	return nil
}

func modernSettings(ctx context.Context, tx *sql.Tx, c *anki.Collection) error {
	options := c.Options
	if c.Schema != 18 && len(options) == 0 {
		options = []anki.Options{{ID: 1, Name: "Default"}}
	}
	names := distinctNames{}
	for _, o := range options {
		if _, err := tx.ExecContext(ctx, `INSERT INTO deck_config VALUES (?,?,?,?,?)`, o.ID, names.of(o.Name, o.ID), o.Modified, o.USN, bytesOf(o.Config)); err != nil {
			return err
		}
	}
	for _, s := range c.Config {
		if _, err := tx.ExecContext(ctx, `INSERT INTO config VALUES (?,?,?,?)`, s.Key, s.USN, s.Modified, bytesOf(s.Value)); err != nil {
			return err
		}
	}
	tags := map[string]bool{}
	for _, t := range c.Tags {
		if folded := strings.ToLower(t.Tag); !tags[folded] {
			tags[folded] = true
			if _, err := tx.ExecContext(ctx, `INSERT INTO tags VALUES (?,?,?,?)`, t.Tag, t.USN, t.Collapsed, t.Config); err != nil {
				return err
			}
		}
	}
	if c.Schema == 18 {
		return nil
	}
	for i := range c.Notes {
		for _, tag := range c.Notes[i].Tags {
			if folded := strings.ToLower(tag); !tags[folded] {
				tags[folded] = true
				if _, err := tx.ExecContext(ctx, `INSERT INTO tags VALUES (?,-1,0,NULL)`, tag); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
