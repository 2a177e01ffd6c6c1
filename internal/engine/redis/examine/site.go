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
	// Places are its directories by role: "data", and "aof" where its append-only files
	// (7.0 and later) lie on another filesystem. Only those that are to be seen from here.
	Places map[string]string
	CPUs   string // the CPUs that it may run on, "0-3"; "" where unknown
	PID    int    // 0 where that is not known
	Files  int64  // how many files it may have open (the hard limit); 0 where unknown
	Gaps   []Gap
}

// startDelay is how much older than it says, in seconds, a server's process may be. The time
// since it was asked comes on top: a busy machine may take seconds to get here.
const startDelay = 5

// Locate finds a server's files on this machine. A socket has a server on the same
// machine. An address says little: there are tunnels and forwarded ports. So where the
// server was reached by address, a process with its number must be here that is as old
// as it says.
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
		s.Gaps = append(s.Gaps, Gap{"the server's process", fmt.Sprintf("there is no process %d here that is it: it may be in a container", pid)})
	}
	dir, known := f.Setting("dir")
	switch {
	case !known:
		s.Gaps = append(s.Gaps, Gap{"where the server keeps its files", "its setting dir may not be seen"})
	case same:
		s.place("data", dir)
		if aof, there := f.Setting("appenddirname"); there && s.Places["data"] != "" {
			s.placeOfItsOwn("aof", filepath.Join(dir, aof), dir)
		}
	}
	return s
}

// place notes a directory; a server in a container names ones that are not here.
func (s *Site) place(role, path string) {
	_, err := os.Stat(path)
	if err == nil {
		s.Places[role] = path
		return
	}
	why := err.Error()
	if errors.Is(err, fs.ErrPermission) {
		why += "; root may"
	}
	s.Gaps = append(s.Gaps, Gap{"on what the directory of " + role + " lies", why})
}

// placeOfItsOwn notes a directory that is mounted, or linked, from somewhere else than
// the one that it is in.
func (s *Site) placeOfItsOwn(role, path, in string) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return // it has not been made yet
	}
	of, err := host.FilesystemOf(path)
	parent, errParent := host.FilesystemOf(in)
	if err == nil && errParent == nil && of != parent {
		s.place(role, path)
	}
}

// isServer says whether a process of this machine is the server: by its name and age.
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
	older := boot - float64(process.Started)/proc.Ticks - age // than it says
	var since float64
	if !f.Asked.IsZero() {
		since = time.Since(f.Asked).Seconds()
	}
	return strings.Contains(string(process.Name), f.Program) && errBoot == nil && errAge == nil &&
		older >= -startDelay && older <= startDelay+since
}

// statusOf is where a process may run, and how many files it may open at the most.
func statusOf(pid int) (cpus string, files int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // the empty text tells nothing
	limits, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	for _, l := range proc.Limits(string(limits)) {
		if l.Name == "Max open files" {
			files, _ = strconv.ParseInt(l.Hard, 10, 64)
		}
	}
	return proc.Field(string(status), "Cpus_allowed_list"), files
}
