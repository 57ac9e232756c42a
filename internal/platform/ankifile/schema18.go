package ankifile

import (
	"strings"

	"stoa/internal/learning/anki"
)

// mostKinds bounds the note types, fields, templates, decks and settings of a collection.
const mostKinds = 100_000

// modern reads note types, decks, options and settings out of the tables of schema 18.
func (in *reader) modern() error {
	in.c.Schema = 18
	h := &in.c.Col
	if err := in.db.QueryRowContext(in.ctx, `SELECT crt, mod, scm, dty, usn, ls, conf, tags FROM col LIMIT 1`).
		Scan(&h.Created, &h.Modified, &h.SchemaModified, &h.Dirty, &h.USN, &h.LastSync, text{&h.Conf}, text{&h.Tags}); err != nil {
		return err
	}
	if err := in.noteTypes(); err != nil {
		return err
	}
	c := in.c
	err := in.each(mostKinds, `SELECT id, name, mtime_secs, usn, common, kind FROM decks ORDER BY id`, func(scan func(...any) error) error {
		var d anki.Deck
		if err := scan(&d.ID, text{&d.Name}, &d.Modified, &d.USN, &d.Common, &d.Kind); err != nil {
			return err
		}
		in.bytes -= int64(len(d.Common) + len(d.Kind) + len(d.Name))
		d.Name = strings.ReplaceAll(d.Name, "\x1f", "::")
		c.Decks = append(c.Decks, d)
		return nil
	})
	if err != nil {
		return err
	}
	err = in.each(mostKinds, `SELECT id, name, mtime_secs, usn, config FROM deck_config ORDER BY id`, func(scan func(...any) error) error {
		var o anki.Options
		err := scan(&o.ID, text{&o.Name}, &o.Modified, &o.USN, &o.Config)
		in.bytes -= int64(len(o.Config) + len(o.Name))
		c.Options = append(c.Options, o)
		return err
	})
	if err != nil {
		return err
	}
	err = in.each(mostKinds, `SELECT KEY, usn, mtime_secs, val FROM config ORDER BY KEY`, func(scan func(...any) error) error {
		var s anki.Setting
		err := scan(text{&s.Key}, &s.USN, &s.Modified, &s.Value)
		in.bytes -= int64(len(s.Value) + len(s.Key))
		c.Config = append(c.Config, s)
		return err
	})
	if err != nil {
		return err
	}
	return in.each(in.limits.kinds(), `SELECT tag, usn, collapsed, config FROM tags ORDER BY tag COLLATE BINARY`, func(scan func(...any) error) error {
		var t anki.TagRow
		err := scan(text{&t.Tag}, &t.USN, &t.Collapsed, &t.Config)
		in.bytes -= int64(len(t.Tag) + len(t.Config))
		c.Tags = append(c.Tags, t)
		return err
	})
}

func (in *reader) noteTypes() error {
	c := in.c
	at := map[int64]int{}
	err := in.each(mostKinds, `SELECT id, name, mtime_secs, usn, config FROM notetypes ORDER BY id`, func(scan func(...any) error) error {
		var m anki.Model
		if err := scan(&m.ID, text{&m.Name}, &m.Modified, &m.USN, &m.Config); err != nil {
			return err
		}
		in.bytes -= int64(len(m.Config) + len(m.Name))
		for number, value := range fields(m.Config) {
			switch number {
			case 1:
				m.Cloze = value.number == 1
			case 3:
				m.CSS = string(value.bytes)
			}
		}
		at[m.ID] = len(c.Models)
		c.Models = append(c.Models, m)
		return nil
	})
	if err != nil {
		return err
	}
	err = in.each(mostKinds, `SELECT ntid, name, config FROM fields ORDER BY ntid, ord`, func(scan func(...any) error) error {
		var id int64
		var name string
		var config []byte
		if err := scan(&id, text{&name}, &config); err != nil {
			return err
		}
		in.bytes -= int64(len(config) + len(name))
		if i, ok := at[id]; ok {
			m := &c.Models[i]
			m.Fields, m.FieldConfigs = append(m.Fields, name), append(m.FieldConfigs, config)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return in.each(mostKinds, `SELECT ntid, name, mtime_secs, usn, config FROM templates ORDER BY ntid, ord`, func(scan func(...any) error) error {
		var id int64
		var t anki.Template
		if err := scan(&id, text{&t.Name}, &t.Modified, &t.USN, &t.Config); err != nil {
			return err
		}
		in.bytes -= int64(len(t.Config) + len(t.Name))
		for number, value := range fields(t.Config) {
			switch number {
			case 1:
				t.Front = string(value.bytes)
			case 2:
				t.Back = string(value.bytes)
			}
		}
		if i, ok := at[id]; ok {
			c.Models[i].Templates = append(c.Models[i].Templates, t)
		}
		return nil
	})
}
