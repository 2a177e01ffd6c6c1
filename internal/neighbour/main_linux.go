package neighbour

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"plinth/internal/hint"
)

// Main turns this process into a neighbour's load, and then never returns, when it
// was started as one. It must be called first in main and in TestMain of a program
// that starts one, after host.GuardMain.
func Main() {
	if len(os.Args) == 3 && os.Args[1] == processName {
		complain(os.Stderr, serve(os.Args[2], os.Stdout))
		os.Exit(1)
	}
}

// complain tells why the load can't go on.
func complain(to io.Writer, err error) {
	_ = json.NewEncoder(to).Encode(complaint{err.Error(), hint.Of(err)})
}

func serve(config string, reports io.Writer) error {
	var o Options
	if err := json.Unmarshal([]byte(config), &o); err != nil {
		return errors.New("this process was not started by plinth")
	}
	w, err := prepare(o, json.NewEncoder(reports))
	if err != nil {
		return err
	}
	return w.work(o)
}
