package cli

import (
	"errors"
	"os/exec"
	"strconv"
)

func exitOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}
