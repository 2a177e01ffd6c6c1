package tune

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"plinth/internal/host"
	"plinth/internal/knob"
)

// lookFiles finds what the files of a knob have, and why they could not be written.
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
			c.notApplicable("this machine has none: " + reading(content))
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
		c.cannot("it can only be read", "")
	case k.Needs == knob.Reboot:
		c.cannot("it is read when the machine boots", "plinth tune render writes it for the kernel's command line")
	case k.Excludes != "" && c.Then == "0":
		c.cannot(fmt.Sprintf("it is zero whenever %s is not, and is never written as zero", k.Excludes), "set "+k.Excludes+" instead")
	default:
		r.unwritable(c)
	}
	return nil
}

// offered are the words that a file takes on this machine, where it says so.
func (r Request) offered(k knob.Knob, file, content string) []string {
	if words := offered(content); words != nil || k.Choices == "" {
		return words
	}
	words, _ := r.Machine.Read(path.Dir(file) + "/" + path.Base(k.Choices))
	return strings.Fields(words)
}

// absent says why a machine has no file of a knob.
func (r Request) absent(k knob.Knob, c *Change) string {
	switch {
	case k.Scope == knob.OfDevice || k.Scope == knob.OfIRQ && c.Target != "":
		return fmt.Sprintf("%s has no %s here", c.Target, k.Name)
	case strings.Contains(k.File, "/cpufreq/"):
		return "this machine shows no frequency scaling"
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
		c.cannot("only root may read "+file, "run plinth as root")
	default:
		c.notApplicable(fmt.Sprintf("%s cannot be read: %s", file, errno(err)))
	}
}

// unwritable finds why the files could not be written.
func (r Request) unwritable(c *Change) {
	for _, file := range c.Files {
		err := r.Machine.Writable(file)
		switch {
		case err == nil:
			continue
		case errors.Is(err, syscall.EROFS):
			c.cannot(file+" is mounted read only, as in a container", "set it on the machine itself: plinth tune render writes the files for it")
		case errors.Is(err, fs.ErrPermission):
			c.cannot("only root may write "+file, "run plinth as root, or give an administrator what plinth tune render writes")
		default:
			c.cannot(fmt.Sprintf("%s cannot be written: %s", file, errno(err)), "")
		}
		return
	}
}

// notSupported is an error that the kernel has for itself (include/linux/errno.h: ENOTSUPP)
// and shows all the same, such as that of kernel.nmi_watchdog on a machine without counters.
const notSupported = syscall.Errno(524)

// errno is the last word of an error of a file: the path is said already.
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

// heldOnly says whether a knob is in force only around a command.
func heldOnly(k knob.Knob) bool {
	return k.Needs == knob.OpenHeld || k.Layer == knob.Placement && k.File == ""
}

// lookHeld is about what can be held around a command, and else not at all.
func (r Request) lookHeld(k knob.Knob, c *Change) {
	c.Needs = knob.OpenHeld
	if !r.Held {
		c.cannot("it holds only around a command", "plinth tune apply … -- COMMAND")
		return
	}
	if k.File == "" {
		c.Now = "as plinth itself"
		r.lookPlacement(c)
		return
	}
	c.Now = "not held"
	if len(c.Files) == 0 {
		c.notApplicable("this kernel has no " + k.File)
		return
	}
	r.unwritable(c)
}

// lookPlacement is about CPUs and memory nodes that this machine does not have.
func (r Request) lookPlacement(c *Change) {
	file := map[string]string{"cpus": "/sys/devices/system/cpu/online", "mems": "/sys/devices/system/node/online"}[c.Key.Knob]
	if file == "" {
		return
	}
	has, err := r.Machine.Read(file)
	if err != nil {
		return // it is found when the command starts
	}
	there, _ := host.ParseRanges(has)
	asked, _ := host.ParseRanges(c.Then)
	for _, n := range asked {
		if !slices.Contains(there, n) {
			c.cannot(fmt.Sprintf("this machine has %s %s", c.Key.Knob, has), "choose among them")
		}
	}
}

// lookMount finds the options of a mount, and whether a remount changes them.
func (r Request) lookMount(c *Change) error {
	mount, there, err := mountAt(r.Machine, c.Target)
	if err != nil {
		return err
	}
	if !there {
		c.notApplicable(fmt.Sprintf("nothing is mounted at %s", c.Target))
		return nil
	}
	now, want := splitOptions(mount.Options), splitOptions(c.Then)
	c.Now = mount.Options
	missing := missingOf(mount.Type, now, want)
	if len(missing) == 0 {
		c.State = InForce
		return nil
	}
	for _, option := range missing {
		if why := noRemount(mount.Type, option); why != "" {
			c.Needs = knob.FreshMount
			c.cannot(why, "put it into /etc/fstab and mount it anew: plinth tune render --to fstab")
			return nil
		}
	}
	c.Needs = knob.Remount
	if _, _, err := steps(mount.Type, merged(mount.Type, now, want), now); err != nil {
		c.cannot(err.Error(), "put it into /etc/fstab and mount it anew: plinth tune render --to fstab")
	}
	return nil
}

// lookServer asks the server about its setting.
func (r Request) lookServer(ctx context.Context, c *Change) error {
	if r.Server == nil {
		c.cannot("no server is named", "name one with --server, or render it as a file")
		return nil
	}
	setting, there, err := r.Server.Setting(ctx, c.Key.Knob)
	if err != nil {
		return err
	}
	if !there {
		c.notApplicable("this server has no such setting")
		return nil
	}
	c.Now = setting.Value
	asked, err := setting.Same(c.Then)
	switch {
	case err != nil:
		c.cannot(err.Error(), "give it a value that the server takes")
	case asked:
		c.State = InForce
	case !setting.Settable:
		c.cannot(setting.Why, "")
	case setting.Restart:
		c.State, c.Needs = Later, knob.Restart
	default:
		c.Needs = knob.Nothing
	}
	return nil
}

// domainValues are those of the domain; none without one.
func (r Request) domainValues(ctx context.Context) (map[string]string, error) {
	if r.Domain == nil {
		return nil, nil
	}
	values, err := r.Domain.Values(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read the domain %s: %w", r.Domain.Name(), err)
	}
	return values, nil
}

// lookDomain compares with what libvirt has defined.
func (r Request) lookDomain(k knob.Knob, c *Change, values map[string]string) {
	switch {
	case r.Domain == nil:
		c.notApplicable("no domain of libvirt is named")
		c.Hint = "name one with --domain"
		return
	case c.Target != r.Domain.Name():
		c.notApplicable(fmt.Sprintf("the domain that is named is %s", r.Domain.Name()))
		return
	}
	c.Now = values[k.Name]
	if same(k.Name, c.Now, c.Then) {
		c.State = InForce
		return
	}
	c.State, c.Needs = Later, knob.Reboot
}
