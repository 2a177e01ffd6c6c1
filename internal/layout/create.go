package layout

import (
	"fmt"
	"strings"

	"plinth/internal/placement"
)

// create fills in what creates the volumes and the tablespaces.
func (f *finder) create(l *Layout) {
	for _, d := range l.Disks {
		if d.Level >= 0 {
			l.Commands = append(l.Commands, fmt.Sprintf("mdadm --create /dev/md/%s --level=%d --raid-devices=%d DEVICES", d.Name, d.Level, d.Members))
		}
	}
	for _, v := range l.Volumes {
		arguments := append([]string{"mkfs." + v.Filesystem}, v.Mkfs...)
		l.Commands = append(l.Commands,
			strings.Join(append(arguments, devicePath(l, v)), " "),
			fmt.Sprintf("mount -o %s %s %s", strings.Join(v.Mount, ","), devicePath(l, v), v.Path))
	}
	main := ""
	for _, v := range l.Volumes {
		if v.Main {
			main = v.Path
		}
	}
	if main != "" {
		l.Commands = append(l.Commands, strings.TrimSpace(fmt.Sprintf("initdb --pgdata=%s/postgresql %s", main, walDirectory(l))))
	}
	for _, v := range l.Volumes {
		if !v.Main && (v.tables || v.temp) {
			l.Statements = append(l.Statements, fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s/tablespace';", tablespace(v), v.Path))
		}
	}
	f.use(l)
}

// walDirectory returns the argument of initdb for a WAL outside the data directory's volume.
func walDirectory(l *Layout) string {
	for _, v := range l.Volumes {
		for _, one := range v.Holds {
			if one == placement.WAL && !v.Main {
				return "--waldir=" + v.Path + "/pg_wal"
			}
		}
	}
	return ""
}

// devicePath returns the device of a volume as far as it is known before there is one: DEVICE stands
// for it.
func devicePath(l *Layout, v Volume) string {
	path := "DEVICE-OF-" + v.Disk
	if l.Disks[v.disk].Level >= 0 {
		path = "/dev/md/" + v.Disk
	}
	if v.Part > 0 {
		path += fmt.Sprintf("-part%d", v.Part)
	}
	return path
}

// use adds the statements that make tablespaces used: costs, temporary files, and the tables that belong
// there.
func (f *finder) use(l *Layout) {
	for _, s := range l.Settings {
		if s.Tablespace != "" {
			l.Statements = append(l.Statements, fmt.Sprintf("ALTER TABLESPACE %s SET (%s = %s);", s.Tablespace, s.Name, s.Value))
			continue
		}
		value := s.Value
		if strings.Trim(value, "0123456789.") != "" {
			value = "'" + value + "'"
		}
		if s.Name == "temp_tablespaces" {
			l.Statements = append(l.Statements, fmt.Sprintf("GRANT CREATE ON TABLESPACE %s TO PUBLIC;", s.Value))
		}
		l.Statements = append(l.Statements, fmt.Sprintf("ALTER SYSTEM SET %s = %s;", s.Name, value))
	}
	for _, v := range l.Volumes {
		if v.Main || !v.tables {
			continue
		}
		for _, k := range l.Disks[v.disk].holds {
			o := l.Plan.Objects[k].Object
			if !isTable(o) {
				continue
			}
			what := "TABLE"
			if o.Of != nil {
				what = "INDEX"
			}
			l.Statements = append(l.Statements, fmt.Sprintf("ALTER %s %s SET TABLESPACE %s;", what, o.Relation.SQL(), tablespace(v)))
		}
	}
}
