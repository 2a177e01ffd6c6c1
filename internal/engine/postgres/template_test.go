//go:build linux

package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"plinth/internal/host/launch"
)

// templates is a launcher that runs each initdb once, and copies the result from then on. An
// initdb that syncs its files (without --no-sync) runs normally.
type templates struct {
	launch.Launcher
	mutex sync.Mutex
	made  map[string]*template // by program and arguments
}

type template struct {
	once sync.Once
	dir  string
	err  error
}

// copyTemplate copies a directory into another, and then moves pg_wal to $3 if given.
const copyTemplate = `cp -a "$1/." "$2" && { [ -z "$3" ] || { mv "$2"/pg_wal/* "$3" && rmdir "$2/pg_wal" && ln -s "$3" "$2/pg_wal"; }; }`

func (l *templates) Start(c launch.Command) (launch.Process, error) {
	if filepath.Base(c.Path) != "initdb" || !slices.Contains(c.Args, "--no-sync") {
		return l.Launcher.Start(c)
	}
	var dir, wal string
	args := slices.Clone(c.Args)
	args = cutOption(args, "-D", &dir)
	args = cutOption(args, "--waldir", &wal)
	made, err := l.template(c, args)
	if err != nil {
		return nil, err
	}
	c.Path, c.Args = "/bin/sh", []string{"-c", copyTemplate, "sh", made, dir, wal}
	return l.Launcher.Start(c)
}

// cutOption removes an option and its value from arguments.
func cutOption(args []string, name string, value *string) []string {
	i := slices.Index(args, name)
	if i < 0 {
		return args
	}
	*value = args[i+1]
	return slices.Delete(args, i, i+2)
}

// template returns a directory in which initdb was run with these arguments.
func (l *templates) template(c launch.Command, args []string) (string, error) {
	key := strings.Join(append([]string{c.Path}, args...), "\x00")
	l.mutex.Lock()
	one := l.made[key]
	if one == nil {
		one = &template{}
		l.made[key] = one
	}
	l.mutex.Unlock()
	one.once.Do(func() { one.dir, one.err = l.make(c, args) })
	return one.dir, one.err
}

func (l *templates) make(c launch.Command, args []string) (string, error) {
	parent, dir, err := privateDir(c.User)
	if err != nil {
		return "", err
	}
	l.mutex.Lock()
	l.made[parent] = &template{dir: parent} // to be removed
	l.mutex.Unlock()
	c.Args, c.Dir = append([]string{"-D", dir}, args...), dir
	process, err := l.Launcher.Start(c)
	if err != nil {
		return "", err
	}
	status, err := process.Wait()
	if err == nil && (status.Code != 0 || status.Signal != nil) {
		err = fmt.Errorf("%s for a template: exit code %d, signal %v", c.Path, status.Code, status.Signal)
	}
	return dir, err
}

// remove removes all templates.
func (l *templates) remove() {
	for path := range l.made {
		if strings.HasPrefix(path, "/tmp/plinth-") {
			_ = os.RemoveAll(path)
		}
	}
}

// TestTemplates checks that a copy equals what initdb creates, also with its WAL elsewhere.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for _, waldir := range []string{"", testDir(t)} {
		config := bareConfig(t, oneInstalled(t))
		config.WALDir = waldir
		own := startOwn(t, config)
		must(t, own.Check(t.Context()))
		link, err := os.Readlink(filepath.Join(own.DataDir, "pg_wal"))
		if (err == nil) != (waldir != "") || link != waldir {
			t.Errorf("pg_wal leads to %q (%v), want %q", link, err, waldir)
		}
	}
}
