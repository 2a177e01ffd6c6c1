package generator

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"time"

	"plinth/internal/hint"
)

// Main turns this process into a load generator, and then never returns, if it was started
// as one. It must be called first in main and in TestMain of a program that drives Redis,
// after launch.GuardMain.
func Main() {
	if len(os.Args) != 3 || os.Args[1] != ProcessName {
		return
	}
	var c Config
	err := json.Unmarshal([]byte(os.Args[2]), &c)
	if err != nil {
		err = errors.New("this process was not started by plinth")
	} else {
		err = Serve(c, os.Getenv(PasswordVariable), os.Stdout)
	}
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// Serve drives a load and reports on it, until its end. The error is reported, too.
func Serve(c Config, password string, to io.Writer) error {
	err := serve(c, password, to)
	if err != nil {
		_, _ = to.Write(frame(nil, frameComplain, func(b []byte) []byte {
			return appendStrings(b, err.Error(), hint.Of(err))
		}))
	}
	return err
}

func serve(c Config, password string, to io.Writer) error {
	l, err := newLoad(c, password)
	if err != nil {
		return err
	}
	templates, err := l.templates()
	if err != nil {
		return err
	}
	// A busy thread never yields its P in Go's scheduler; two more are for the reporting
	// goroutine, and for the runtime.
	runtime.GOMAXPROCS(c.Threads + 2)
	w := &crew{load: l, start: make(chan struct{}), met: make(chan error, c.Threads), ended: make(chan error, c.Threads)}
	defer w.release()
	if err := w.connect(templates); err != nil {
		return err
	}
	<-time.After(time.Until(time.Unix(0, c.Start))) // at once for 0
	w.origin = time.Now()
	close(w.start)
	if _, err := to.Write(frame(nil, frameOrigin, w.appendOrigin)); err != nil {
		return err
	}
	return w.report(to)
}
