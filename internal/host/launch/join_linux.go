package launch

import (
	"os"
	"path/filepath"
	"strconv"
)

// joinGroup is what a failure to join a control group is called.
const joinGroup = "join the control group"

// join moves this process into the control groups of o, all of its threads
// (cgroups(7)). It happens before the process becomes the program, so that the
// program is never outside of them, and before it gives up plinth's rights,
// because a program that could write cgroup.procs could also leave. What a Go
// program of few MiB was charged for before stays with plinth's own group.
func (o order) join() *failure {
	pid := []byte(strconv.Itoa(os.Getpid()))
	for _, dir := range o.Groups {
		f, err := os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			return asFailure(joinGroup, dir, err)
		}
		_, err = f.Write(pid)
		_ = f.Close()
		if err != nil {
			return asFailure(joinGroup, dir, err)
		}
	}
	return nil
}
