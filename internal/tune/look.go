package tune

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"plinth/internal/knob"
)

// lookFiles reads the current values of a knob's files, and finds why they cannot be written.
func (r Request) lookFiles(k knob.Knob, c *Change) error {
	if len(c.Files) == 0 {
		c.notApplicable(r.absent(k, c))
		return nil
	}
	var values []string
	inForce := true
	for _, file := range c.Files {
		content, err := r.Machine.Read(file)
		if err != nil {
			c.unreadable(file, err)
			return nil
		}
		if slices.Contains(k.Absent, reading(content)) {
			c.notApplicable("this machine does not support it: " + reading(content))
			return nil
		}
		values = append(values, reading(content))
		inForce = inForce && same(c.Key.String(), reading(content), c.Then)
		if words := r.offered(k, file, content); len(words) > 0 && !slices.Contains(words, c.Then) {
			c.cannot(fmt.Sprintf("this kernel offers %s here", strings.Join(words, ", ")), "choose one of them")
		}
	}
	c.Now = wordsOf(values)
	switch {
	case inForce:
		c.State, c.Problem, c.Hint = InForce, "", ""
	case c.State == Cannot:
	case k.Needs == knob.CannotBeSet:
		c.cannot("it is read-only", "")
	case k.Needs == knob.Reboot:
		c.cannot("the kernel reads it only at boot", "use plinth tune render to write it for the kernel's command line")
	case k.Excludes != "" && c.Then == "0":
		c.cannot(fmt.Sprintf("it cannot be set to zero: the kernel sets it to zero when %s is set", k.Excludes), "set "+k.Excludes+" instead")
	default:
		r.unwritable(c)
	}
	return nil
}

// offered returns the words that a file accepts on this machine, if it lists them.
func (r Request) offered(k knob.Knob, file, content string) []string {
	if words := offered(content); words != nil || k.Choices == "" {
		return words
	}
	words, _ := r.Machine.Read(path.Dir(file) + "/" + path.Base(k.Choices))
	return strings.Fields(words)
}

// absent says why the machine has no file of a knob.
func (r Request) absent(k knob.Knob, c *Change) string {
	switch {
	case k.Scope == knob.OfDevice || k.Scope == knob.OfIRQ && c.Target != "":
		return fmt.Sprintf("%s has no %s here", c.Target, k.Name)
	case strings.Contains(k.File, "/cpufreq/"):
		return "this machine reports no CPU frequency scaling"
	case k.Scope == knob.OfNode:
		return fmt.Sprintf("this machine has no %s", c.Target)
	}
	return "this kernel has no " + k.File
}

func (c *Change) unreadable(file string, err error) {
	switch {
	case gone(err):
		c.notApplicable("there is no " + file)
	case errors.Is(err, fs.ErrPermission):
		c.cannot("only root can read "+file, "run plinth as root")
	default:
		c.notApplicable(fmt.Sprintf("%s cannot be read: %s", file, errno(err)))
	}
}

// unwritable finds why the files cannot be written.
func (r Request) unwritable(c *Change) {
	for _, file := range c.Files {
		err := r.Machine.Writable(file)
		switch {
		case err == nil:
			continue
		case errors.Is(err, syscall.EROFS):
			c.cannot(file+" is mounted read-only, as in a container", "set it on the host: plinth tune render writes the files")
		case errors.Is(err, fs.ErrPermission):
			c.cannot("only root can write "+file, "run plinth as root, or give an administrator the output of plinth tune render")
		default:
			c.cannot(fmt.Sprintf("%s cannot be written: %s", file, errno(err)), "")
		}
		return
	}
}

// notSupported is an errno internal to the kernel (include/linux/errno.h: ENOTSUPP) that reaches
// user space all the same, for example from kernel.nmi_watchdog without hardware counters.
const notSupported = syscall.Errno(524)

// errno returns only the errno's text of a file error: the message has the path already.
func errno(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		if number == notSupported {
			return "not supported here"
		}
		return number.Error()
	}
	return err.Error()
}

// reading returns the value in the content of a file: in a list of words, the one in brackets. It
// does not use the catalog, because journals are read without it.
func reading(content string) string {
	content = strings.TrimSpace(content)
	if _, rest, found := strings.Cut(content, "["); found {
		if word, _, closed := strings.Cut(rest, "]"); closed {
			return word
		}
	}
	return content
}

// offered returns the words that a bracketed file lists; nil for other files.
func offered(content string) []string {
	if !strings.Contains(content, "[") {
		return nil
	}
	return strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(content))
}

// same reports whether two values of a knob are equivalent. A knob that is not in the catalog
// needs identical text.
func same(key, a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == b {
		return true
	}
	name := knob.ParseKey(key).Knob
	k, there := knob.Find(name)
	for _, engine := range []string{"postgres", "redis"} {
		if !there {
			k, there = knob.Parameter(engine, name)
		}
	}
	return there && k.Same(a, b)
}

// read returns the value in a file.
func read(m Machine, path string) (string, error) {
	content, err := m.Read(path)
	return reading(content), err
}
