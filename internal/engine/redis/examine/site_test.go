package examine

import (
	"fmt"
	"os"
	"testing"

	"plinth/internal/engine/redis/client"
)

// TestLocateElsewhere: a server is not taken for one of this machine by its number
// alone, nor one whose process is of another age.
func TestLocateElsewhere(t *testing.T) {
	f := Facts{
		Program: client.Redis, Transport: "tcp", Settings: map[string]string{"dir": "/"},
		Info: map[string]string{"process_id": fmt.Sprint(os.Getpid()), "uptime_in_seconds": "86400"},
	}
	if site := Locate(f); site.Local || len(site.Places) > 0 {
		t.Errorf("plinth's own process is it: %+v", site)
	}
	f.Info["process_id"] = "0"
	if site := Locate(f); site.Local {
		t.Errorf("no process is it: %+v", site)
	}
}
