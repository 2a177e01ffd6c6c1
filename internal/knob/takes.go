package knob

import (
	"fmt"
	"strings"
)

// Takes describes the valid values: "a whole number of kB, 0 to 4194300, in steps of
// 4", "one of none, mq-deadline, kyber, bfq".
func (k Knob) Takes() string {
	switch k.Kind {
	case Integer, Number:
		text := "a whole number"
		if k.Kind == Number {
			text = "a number"
		}
		text += k.of() + k.between()
		if len(k.Words) > 0 {
			text += ", or " + strings.Join(k.Words, ", ")
		}
		return text
	case Boolean:
		return strings.Join(k.Words, " or ")
	case Word:
		return "one of " + strings.Join(k.Words, ", ")
	case CPUList:
		return "a list such as 0-3,8"
	case Pins:
		return "a CPU list for each number, such as 0=8,1=9-10"
	case Options:
		return "mount options such as noatime,commit=30"
	}
	if k.Example != "" {
		return fmt.Sprintf("written like %q", k.Example)
	}
	return "text on one line"
}

// between describes the range.
func (k Knob) between() string {
	var text string
	switch {
	case k.Min != nil && k.Max != nil:
		text = fmt.Sprintf(", %s to %s", k.limit(*k.Min), k.limit(*k.Max))
	case k.Min != nil:
		text = ", at least " + k.limit(*k.Min)
	case k.Max != nil:
		text = ", at most " + k.limit(*k.Max)
	}
	if k.Step > 0 {
		text += ", in steps of " + k.limit(k.Step)
	}
	return text
}
