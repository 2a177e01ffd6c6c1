package tune

import (
	"fmt"

	"plinth/internal/knob"
)

// noRemount says why a remount would not bring an option into force; "" where it does.
func noRemount(filesystem, option string) string {
	if isFlag(option) {
		return ""
	}
	o, known := knob.OptionOf(filesystem, option)
	switch {
	case !known:
		return fmt.Sprintf("what a remount of %s does with %s is not known", filesystem, option)
	case o.Remount == knob.Ignored:
		return fmt.Sprintf("a remount of %s succeeds, and changes nothing about %s", filesystem, option)
	case o.Remount == knob.Refused:
		return fmt.Sprintf("%s refuses to be remounted with %s", filesystem, option)
	}
	return ""
}
