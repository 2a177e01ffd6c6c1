package volume

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
)

// Command is one line of what an administrator would type to lay out storage.
type Command struct {
	Comment string   // in place of a command
	Argv    []string // nil for a comment
	Into    string   // the file that its output goes to; "" for none
}

// String is the line, for a shell.
func (c Command) String() string {
	if c.Argv == nil {
		return "# " + c.Comment
	}
	words := make([]string, len(c.Argv))
	for i, word := range c.Argv {
		words[i] = quote(word)
	}
	line := strings.Join(words, " ")
	if c.Into != "" {
		line += " > " + quote(c.Into)
	}
	return line
}

func typed(argv ...string) Command { return Command{Argv: argv} }

// plain are the characters that mean nothing to a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%^"

func quote(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Sketch says what Make would do, as an administrator would type it, and does nothing.
// plinth makes loop devices and settings by system calls, and names loop devices and arrays
// as the kernel has them free. Here they are counted, on from one environment to the next:
// the servers of all stay up side by side. The zero value is ready for use.
type Sketch struct{ loops, nbds, arrays int }

// Commands are the lines for an environment's storage, and the directories that a server
// would find its parts in, by role.
func (s *Sketch) Commands(environment string, storage experiment.Storage) (commands []Command, places map[string]string, err error) {
	places = map[string]string{}
	for _, part := range storage.Parts() {
		title := Command{Comment: fmt.Sprintf("%s: %s", environment, part.Role)}
		v := &Volume{Role: part.Role, part: part, name: sketchPrefix + environment + "-" + part.Name,
			sketch: &sketch{counted: s, commands: []Command{title}}}
		if err := v.layOut(context.Background()); err != nil {
			return nil, nil, fmt.Errorf("cannot sketch the %s volume of %s: %w", part.Role, environment, err)
		}
		commands = append(commands, v.sketch.commands...)
		places[part.Role] = v.Path
	}
	return commands, places, nil
}

// sketchPrefix is what the names of directories, files and pools begin with.
const sketchPrefix = "plinth-"

// sketch is what a volume has that is not made: lines in place of changes, and counted
// names in place of those that are free or random.
type sketch struct {
	counted  *Sketch
	commands []Command
}

// image is what an emulator would serve.
func (s *sketch) image(c emulator.Config) string {
	if c.Form == emulator.NBD {
		return next("/dev/nbd", &s.counted.nbds)
	}
	return filepath.Join(c.Mount, "image")
}

// next is the next of paths that are numbered from 0.
func next(prefix string, n *int) string {
	path := fmt.Sprintf("%s%d", prefix, *n)
	*n++
	return path
}

// freeLoop is the path of a loop device that is not in use.
func (v *Volume) freeLoop() (string, error) {
	if v.sketch != nil {
		return next("/dev/loop", &v.sketch.counted.loops), nil
	}
	return freeLoop()
}

// freeArray is the path of an array that is not there.
func (v *Volume) freeArray() (string, error) {
	if v.sketch != nil {
		return next("/dev/md", &v.sketch.counted.arrays), nil
	}
	return freeArray()
}

// newUUID is a random one; an administrator leaves the choice to the program.
func (v *Volume) newUUID() string {
	if v.sketch != nil {
		return ""
	}
	return newUUID()
}

// newPool is a name that no other pool has.
func (v *Volume) newPool() string {
	if v.sketch != nil {
		return v.name
	}
	return poolPrefix + strings.ToLower(rand.Text()[:12])
}
