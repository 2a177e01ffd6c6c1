package render

import (
	"fmt"
	"path"
	"strings"

	"plinth/internal/tune"
)

// isArray says whether a change is of an array itself: a file below /sys/block/md0/md.
func isArray(c tune.Change) bool { return array(c) != "" }

// array is the name of an array, and "" for what is none.
func array(c tune.Change) string {
	parts := strings.Split(file(c), "/")
	for i := range len(parts) - 2 {
		if parts[i] == "block" && strings.HasPrefix(parts[i+1], "md") && parts[i+2] == "md" {
			return parts[i+1]
		}
	}
	return ""
}

// mdadmFiles are SYSFS lines: mdadm writes them to /sys when it has assembled the array
// (mdadm.conf(5)).
func mdadmFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# Then update-initramfs -u (dracut -f): the array may be assembled from there.\n")
	for _, c := range changes {
		fmt.Fprintf(&b, "%sSYSFS name=/dev/%s %s=%s\n", why(c), array(c), path.Base(file(c)), c.Then)
	}
	return []File{{"/etc/mdadm/mdadm.conf", b.String()}}
}
