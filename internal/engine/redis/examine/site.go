package examine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// Site is where a server keeps its files, as seen from this machine.
type Site struct {
	Local bool // the server runs on this machine
	// Places are its directories by role: "data", and "aof" if its append-only files (7.0 and
	// later) are on another filesystem. Only those visible from here.
	Places map[string]string
	CPUs   string // the CPUs that it may run on, "0-3"; "" if unknown
	PID    int    // 0 if unknown
	Files  int64  // how many files it may have open (the hard limit); 0 if unknown
	Gaps   []Gap
}

// startDelay is by how many seconds the age of a server's process may differ from what it
// reports. The time since the request is added to the upper bound: on a busy machine it may be
// seconds.
const startDelay = 5

// Locate finds a server's files on this machine. A server behind a socket is on the same machine.
// An address proves little: it may lead to a tunnel or a forwarded port. A server reached by
// address is local only if a process with its PID exists here, with the age that it reports.
func Locate(f Facts) Site {
	s := Site{Places: map[string]string{}}
	pid, _ := strconv.Atoi(f.Info["process_id"])
	same := pid > 0 && isServer(pid, f)
	s.Local = f.Transport == "socket" || same
	if !s.Local {
		return s
	}
	if same {
		s.PID = pid
		s.CPUs, s.Files = statusOf(pid)
	} else {
		s.Gaps = append(s.Gaps, Gap{"the server's process", fmt.Sprintf("process %d of this machine is not the server, which may run in a container", pid)})
	}
	dir, known := f.Setting("dir")
	switch {
	case !known:
		s.Gaps = append(s.Gaps, Gap{"the location of the server's files", "the setting dir is not visible"})
	case same:
		s.place("data", dir)
		if aof, there := f.Setting("appenddirname"); there && s.Places["data"] != "" {
			s.placeOfItsOwn("aof", filepath.Join(dir, aof), dir)
		}
	}
	return s
}

// place records a directory; a server in a container reports directories that do not exist here.
func (s *Site) place(role, path string) {
	_, err := os.Stat(path)
	if err == nil {
		s.Places[role] = path
		return
	}
	why := err.Error()
	if errors.Is(err, fs.ErrPermission) {
		why += "; root can read it"
	}
	s.Gaps = append(s.Gaps, Gap{"the filesystem that holds " + role, why})
}

// placeOfItsOwn records a directory that is on another filesystem than in: it is a mount point or
// a symbolic link.
func (s *Site) placeOfItsOwn(role, path, in string) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return // it has not been created yet
	}
	of, err := host.FilesystemOf(path)
	parent, errParent := host.FilesystemOf(in)
	if err == nil && errParent == nil && of != parent {
		s.place(role, path)
	}
}

// isServer reports whether a process of this machine is the server, by its name and age.
func isServer(pid int, f Facts) bool {
	process, err := host.ReadProcess(pid)
	if err != nil {
		return false
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return false
	}
	up, _, _ := strings.Cut(string(uptime), " ")
	boot, errBoot := strconv.ParseFloat(up, 64)
	age, errAge := strconv.ParseFloat(f.Info["uptime_in_seconds"], 64)
	older := boot - float64(process.Started)/proc.Ticks - age // than the server reports
	var since float64
	if !f.Asked.IsZero() {
		since = time.Since(f.Asked).Seconds()
	}
	return strings.Contains(string(process.Name), f.Program) && errBoot == nil && errAge == nil &&
		older >= -startDelay && older <= startDelay+since
}

// statusOf returns the CPUs that a process may run on, and its limit of open files.
func statusOf(pid int) (cpus string, files int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // an unreadable file leaves the values empty
	limits, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	for _, l := range proc.Limits(string(limits)) {
		if l.Name == "Max open files" {
			files, _ = strconv.ParseInt(l.Hard, 10, 64)
		}
	}
	return proc.Field(string(status), "Cpus_allowed_list"), files
}
