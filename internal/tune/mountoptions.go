package tune

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
)

// flags are the options that are of a mount and not of its filesystem, as
// /proc/self/mountinfo spells them, and lazytime, which a remount treats like them:
// one that is not named in a remount is cleared.
var flags = []string{"rw", "ro", "nosuid", "nodev", "noexec", "sync", "dirsync", "noatime",
	"nodiratime", "relatime", "strictatime", "lazytime", "mand", "nosymfollow"}

// atime are the options of which a mount has one. strictatime is shown by none.
var atime = []string{"noatime", "relatime", "strictatime"}

// without are the options of filesystems that are shown only where they are not the
// default, and what makes them the default again.
var without = map[string]string{"commit": "commit=0", "nobarrier": "barrier", "barrier=0": "barrier=1", "errors": "errors=continue"}

func isFlag(option string) bool { return slices.Contains(flags, option) }

func splitOptions(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ","), func(option string) bool {
		return strings.TrimSpace(option) == ""
	})
}

// optionName is the name of an option that has a value: "commit" of "commit=30".
func optionName(option string) string {
	name, _, _ := strings.Cut(option, "=")
	return name
}

// hasOption says whether an option is in force. What is never shown is in force where
// nothing says otherwise.
func hasOption(now []string, option string) bool {
	switch option {
	case "strictatime":
		return !slices.Contains(now, "noatime") && !slices.Contains(now, "relatime")
	case "defaults":
		return true
	}
	if positive, negated := strings.CutPrefix(option, "no"); negated && !isFlag(option) && !slices.Contains(now, positive) {
		return !slices.ContainsFunc(now, func(o string) bool { return optionName(o) == positive })
	}
	return slices.Contains(now, option)
}

// merged are the options of a mount after a remount with want.
func merged(now, want []string) []string {
	all := slices.Clone(now)
	for _, option := range want {
		all = slices.DeleteFunc(all, func(other string) bool { return excludes(option, other) })
		if option != "strictatime" && option != "defaults" && !slices.Contains(all, option) {
			all = append(all, option)
		}
	}
	return all
}

// excludes says whether one option takes the place of another.
func excludes(option, other string) bool {
	switch {
	case slices.Contains(atime, option):
		return slices.Contains(atime, other)
	case option == "ro" || option == "rw":
		return other == "ro" || other == "rw"
	case strings.Contains(option, "="):
		return optionName(option) == optionName(other)
	}
	return option == "no"+other || other == "no"+option
}

// remount changes the options of a mount from those that it has to those of target.
func remount(m Machine, mountPoint string, now, target []string) error {
	var own, filesystem []string
	for _, option := range target {
		switch {
		case isFlag(option):
			own = append(own, option)
		case !slices.Contains(now, option):
			filesystem = append(filesystem, option)
		}
	}
	if !slices.ContainsFunc(own, func(o string) bool { return slices.Contains(atime, o) }) {
		own = append(own, "strictatime") // naming none keeps what there is
	}
	for _, option := range now {
		if isFlag(option) || slices.Contains(target, option) ||
			slices.ContainsFunc(filesystem, func(o string) bool { return excludes(o, option) }) {
			continue
		}
		opposite, err := oppositeOf(option)
		if err != nil {
			return fmt.Errorf("cannot remount %s: %w", mountPoint, err)
		}
		filesystem = append(filesystem, opposite)
	}
	return m.Remount(mountPoint, own, filesystem)
}

// oppositeOf is the option that takes one back.
func oppositeOf(option string) (string, error) {
	for _, name := range []string{option, optionName(option)} {
		if opposite, known := without[name]; known {
			return opposite, nil
		}
	}
	if strings.Contains(option, "=") {
		return "", fmt.Errorf("how to take back %s is not known", option)
	}
	if positive, negated := strings.CutPrefix(option, "no"); negated {
		return positive, nil
	}
	return "no" + option, nil
}

// mountAt is the mount at a mount point, the one that hides all others.
func mountAt(m Machine, mountPoint string) (host.Filesystem, bool, error) {
	mounts, err := m.Mounts()
	for _, mount := range slices.Backward(mounts) {
		if mount.MountPoint == mountPoint {
			return mount, true, err
		}
	}
	return host.Filesystem{}, false, err
}
