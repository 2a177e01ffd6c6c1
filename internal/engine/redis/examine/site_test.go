package examine

import (
	"fmt"
	"os"
	"testing"
	"time"

	"plinth/internal/engine/redis/client"
	"plinth/internal/host"
)

// TestLocateElsewhere checks that a process with the server's PID does not make it local if its
// name or age differs.
func TestLocateElsewhere(t *testing.T) {
	f := Facts{
		Program: client.Redis, Transport: "tcp", Settings: map[string]string{"dir": "/"},
		Info: map[string]string{"process_id": fmt.Sprint(os.Getpid()), "uptime_in_seconds": "86400"},
	}
	if site := Locate(f); site.Local || len(site.Places) > 0 {
		t.Errorf("plinth's own process is it: %+v", site)
	}
	f.Asked = time.Now()
	if site := Locate(f); site.Local {
		t.Errorf("plinth's own process, asked just now, is it: %+v", site)
	}
	f.Info["process_id"] = "0"
	if site := Locate(f); site.Local {
		t.Errorf("no process is it: %+v", site)
	}
}

// TestLocateLate checks that the age that a server reports is compared as of the time of the
// request: on a busy machine that may be seconds ago.
func TestLocateLate(t *testing.T) {
	own, err := host.ReadProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Program: string(own.Name), Transport: "tcp", Asked: time.Now().Add(-time.Hour),
		Info: map[string]string{"process_id": fmt.Sprint(os.Getpid()), "uptime_in_seconds": "-3590"}}
	if site := Locate(f); !site.Local || site.PID != os.Getpid() {
		t.Errorf("an hour after the question it is %+v", site)
	}
	f.Info["uptime_in_seconds"] = "3590"
	if site := Locate(f); site.Local {
		t.Errorf("a process that is younger than it says is it: %+v", site)
	}
	f.Asked, f.Info["uptime_in_seconds"] = time.Now(), "-3590"
	if site := Locate(f); site.Local {
		t.Errorf("just after the question it is %+v", site)
	}
}
