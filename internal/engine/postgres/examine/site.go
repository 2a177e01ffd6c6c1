package examine

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/host/proc"
)

// Site is where a server keeps its files, as seen from this machine.
type Site struct {
	Local bool // the server runs on this machine
	// Places are its directories by role: "data", "wal", "tablespace NAME". Only those visible
	// from here.
	Places map[string]string
	// CPUs is the list of CPUs its processes may run on ("0-3"), "" if unknown.
	CPUs string
	// PID is that of the server's first process; 0 if unknown.
	PID  int
	Gaps []Gap
}

// Locate finds a server's files on this machine. A server behind a socket is on the same machine.
// An address proves little: it may lead to a tunnel or a forwarded port, and an external address
// may belong to this machine. A server reached by address is local only if its data directory
// exists here, with a postmaster.pid that has the port and the start time that the server
// reports.
func Locate(f Facts) Site {
	s := Site{Places: map[string]string{}}
	data, known := f.Setting("data_directory")
	pid, err := postmasterOf(data.Value, f)
	s.Local = f.Transport == "socket" || known && err == nil
	switch {
	case !s.Local && !known:
		s.Gaps = append(s.Gaps, Gap{"whether the server runs on this machine", "only other roles can see data_directory", "pg_read_all_settings"})
	case !s.Local && errors.Is(err, fs.ErrPermission):
		s.gap("whether the server runs on this machine", err, rootOrOwner)
	case !s.Local:
	case !known:
		s.Gaps = append(s.Gaps, Gap{"the location of the server's files", "only other roles can see data_directory", "pg_read_all_settings"})
	default:
		if s.CPUs = allowedCPUs(pid); s.CPUs != "" {
			s.PID = pid
		}
		s.place("data", data.Value)
		if wal, err := filepath.EvalSymlinks(filepath.Join(data.Value, "pg_wal")); err != nil {
			s.gap("the filesystem of pg_wal", err, rootOrOwner)
		} else {
			s.place("wal", wal)
		}
		for _, t := range f.Tablespaces {
			s.place("tablespace "+t.Name, t.Path)
		}
	}
	return s
}

// rootOrOwner is the role that may read a data directory, as gaps name it.
const rootOrOwner = "root"

// place records a directory; a server in a container reports directories that do not exist here.
func (s *Site) place(role, path string) {
	if _, err := os.Stat(path); err != nil {
		s.gap("the filesystem that holds "+role, err, rootOrOwner)
		return
	}
	s.Places[role] = path
}

// gap records what could not be read; role is a user that could, if permissions are the reason.
func (s *Site) gap(what string, err error, role string) {
	if !errors.Is(err, fs.ErrPermission) {
		role = ""
	}
	s.Gaps = append(s.Gaps, Gap{what, err.Error(), role})
}

// startDelay is how many seconds the start time that a server reports may be after that of its
// lock file: it allocates its memory in between.
const startDelay = 60

// postmasterOf returns the PID of the server that reported f, if it keeps its files in dir on
// this machine.
func postmasterOf(dir string, f Facts) (pid int, err error) {
	if !filepath.IsAbs(dir) {
		return 0, fs.ErrNotExist
	}
	lock, err := leftover.ReadLock(dir)
	if err != nil {
		return 0, err
	}
	port, _ := f.Setting("port")
	if lock.Port != port.Value || math.Abs(float64(f.Started.Unix()-lock.Started)) > startDelay {
		return 0, errors.New(leftover.LockName + " belongs to another server")
	}
	return lock.PID, nil
}

// allowedCPUs returns the CPUs that a process may run on if it is PostgreSQL: if the server is in
// a container, the PID may belong to another process here.
// https://www.kernel.org/doc/html/latest/filesystems/proc.html (Cpus_allowed_list)
func allowedCPUs(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	if name := proc.Field(string(text), "Name"); name != "postgres" && name != "postmaster" {
		return ""
	}
	return proc.Field(string(text), "Cpus_allowed_list")
}
