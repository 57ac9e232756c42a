package botimport

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"stoa/internal/market/pack"
)

// astrbot maps an AstrBot setup: a backup, a zip with a configuration, or a bot's folder.
func (b *builder) astrbot(l *layout, d *Draft) error {
	d.Source.Backup = b.backupManifest(l)
	main, profiles := l.config, l.profiles
	if main == "" && len(profiles) > 0 {
		main, profiles = profiles[0], profiles[1:]
	}
	var cfg map[string]any
	if main != "" {
		var err error
		if cfg, err = b.mainConfig(l, main); err != nil {
			return err
		}
	}
	db := b.readDatabase(l)
	shown := l.show(main)
	if cfg != nil {
		b.config(cfg, shown)
	}
	d.Source.ConfigVersion = text(cfg["config_version"])
	b.profiles(l, &db, profiles)
	b.plugins(l, &db, cfg["plugin_set"], shown+":plugin_set")
	b.botSkills(l)
	b.botServers(l)
	b.knowledge(l)
	b.leftovers(l)
	if l.sqlite != "" {
		b.rep.add(Field{
			SourcePath: l.show(l.sqlite), Outcome: NeedsAPerson, IssueCode: pack.IssueDatabaseNotRead,
			Note: "personas and knowledge bases lie in this database, which is not read; make a backup in AstrBot's dashboard and import that to take them along",
		})
	} else {
		b.missingPersona(shown)
	}
	b.rep.issue(pack.IssueConverted, "", "")
	if d.Source.Backup != nil && d.Source.Backup.HostVersion != "" {
		d.HostVersion = hostVersion(d.Source.Backup.HostVersion)
	}
	return b.finishPersonas()
}

// mainConfig reads the configuration that the import stands on; without it there is nothing to show.
func (b *builder) mainConfig(l *layout, name string) (map[string]any, error) {
	l.used[name] = true
	body, err := b.files.Read(name, maxConfigBytes)
	if err != nil {
		return nil, refuse(pack.ReasonUnreadable, name, pack.Clean(path.Base(name))+" cannot be read: "+why(err)+".")
	}
	v, err := parse(body)
	if err != nil {
		return nil, refuse(pack.ReasonUnreadable, name, pack.Clean(path.Base(name))+" is not JSON as a bot could read it: "+why(err)+".")
	}
	cfg := object(v)
	if cfg == nil {
		return nil, refuse(pack.ReasonUnknownSetup, name, pack.Clean(path.Base(name))+" must hold a JSON object.")
	}
	return cfg, nil
}

// configFile maps one configuration file that came alone.
func (b *builder) configFile(cfg map[string]any, d *Draft) error {
	shown := path.Base(d.Source.Filename)
	b.config(cfg, shown)
	d.Source.ConfigVersion = text(cfg["config_version"])
	l := &layout{used: map[string]bool{}}
	b.plugins(l, &database{}, cfg["plugin_set"], shown+":plugin_set")
	b.missingPersona(shown)
	b.rep.issue(pack.IssueConverted, "", "")
	return b.finishPersonas()
}

// finishPersonas counts the personas and takes an empty section away.
func (b *builder) finishPersonas() error {
	section := object(b.sections[pack.SectionPersonas])
	entries := object(section["entries"])
	b.sum.PersonaIDs = some(sortedKeys(entries))
	b.sum.PersonaCount = len(entries)
	if len(b.sections) == 0 {
		return errNothing
	}
	return nil
}

var errNothing = errors.New("nothing to import")

// hostVersion is the constraint a pack puts on its host: the version it was made with or a newer one.
func hostVersion(v string) string {
	v = strings.TrimPrefix(strings.TrimSpace(v), "v")
	if c, err := pack.ParseConstraint(v); err != nil || len(c) != 1 || c[0].Version != v {
		return "any"
	}
	return fmt.Sprintf(">=%s", v)
}
