package device

import "strings"

// OfEBS reports whether the device is a volume type of Amazon EBS, or an array of such volumes.
func (d Device) OfEBS() bool {
	if d.Array != nil {
		return d.Array.Of.OfEBS()
	}
	e, err := Find(d.Name)
	return err == nil && strings.HasPrefix(e.Title, "Amazon EBS")
}
