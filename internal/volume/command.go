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

// Command is one shell command that sets up storage, for administrators.
type Command struct {
	Comment string   // instead of a command
	Argv    []string // nil for a comment
	Into    string   // the file to redirect the output to; "" for none
}

// String returns the shell line.
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

// plain holds the characters that need no quoting in a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%^"

func quote(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Sketch lists the commands that correspond to Make, and changes nothing. plinth itself uses
// system calls for loop devices and settings, and takes whichever loop devices and arrays are
// free. A Sketch numbers them consecutively across environments, because all servers stay up side
// by side. The zero value is ready for use.
type Sketch struct{ loops, nbds, arrays int }

// Commands returns the commands that set up an environment's storage and, by role, the directories
// that the server would use.
func (s *Sketch) Commands(environment string, storage experiment.Storage) (commands []Command, places map[string]string, err error) {
	places = map[string]string{}
	for _, part := range storage.Parts() {
		title := Command{Comment: fmt.Sprintf("%s: %s", environment, part.Role)}
		v := &Volume{Role: part.Role, part: part, name: sketchPrefix + environment + "-" + part.Name,
			sketch: &sketch{counted: s, commands: []Command{title}}}
		if err := v.layOut(context.Background()); err != nil {
			return nil, nil, fmt.Errorf("cannot list the commands for the %s volume of %s: %w", part.Role, environment, err)
		}
		commands = append(commands, v.sketch.commands...)
		places[part.Role] = v.Path
	}
	return commands, places, nil
}

// sketchPrefix is the prefix of the names of directories, files and pools.
const sketchPrefix = "plinth-"

// sketch is the state of a volume that is only sketched: it collects commands instead of making
// changes, and numbers names instead of using free or random ones.
type sketch struct {
	counted  *Sketch
	commands []Command
}

// image returns the path that an emulator would serve.
func (s *sketch) image(c emulator.Config) string {
	if c.Form == emulator.NBD {
		return next("/dev/nbd", &s.counted.nbds)
	}
	return filepath.Join(c.Mount, "image")
}

// next returns the next path of a sequence that is numbered from 0.
func next(prefix string, n *int) string {
	path := fmt.Sprintf("%s%d", prefix, *n)
	*n++
	return path
}

// freeLoop returns the path of an unused loop device.
func (v *Volume) freeLoop() (string, error) {
	if v.sketch != nil {
		return next("/dev/loop", &v.sketch.counted.loops), nil
	}
	return freeLoop()
}

// freeArray returns an unused array path.
func (v *Volume) freeArray() (string, error) {
	if v.sketch != nil {
		return next("/dev/md", &v.sketch.counted.arrays), nil
	}
	return freeArray()
}

// newUUID returns a random UUID; an administrator leaves the choice to the program.
func (v *Volume) newUUID() string {
	if v.sketch != nil {
		return ""
	}
	return newUUID()
}

// newPool returns a unique pool name.
func (v *Volume) newPool() string {
	if v.sketch != nil {
		return v.name
	}
	return poolPrefix + strings.ToLower(rand.Text()[:12])
}
