package host

import (
	"fmt"
	"io/fs"
)

func (i *Inventory) addLoad(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/loadavg")
	if err == nil {
		i.Load, err = parseLoadAverage(string(text))
	}
	if err != nil {
		i.gap("load", err)
	}
}

// parseLoadAverage reads "0.47 0.65 1.68 3/95 1438" (proc_loadavg(5)).
func parseLoadAverage(text string) (l LoadAverage, err error) {
	_, err = fmt.Sscanf(text, "%f %f %f %d/%d", &l.One, &l.Five, &l.Fifteen, &l.Running, &l.Threads)
	if err != nil {
		return LoadAverage{}, fmt.Errorf("/proc/loadavg holds %q", text)
	}
	return l, nil
}
