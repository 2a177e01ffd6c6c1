package site

import (
	"errors"
	"fmt"
)

// EnvironmentError is an error of one environment.
type EnvironmentError struct {
	Environment string
	Err         error
}

func (e *EnvironmentError) Error() string {
	return fmt.Sprintf("environment %s: %s", e.Environment, e.Err)
}
func (e *EnvironmentError) Unwrap() error { return e.Err }

// InEnvironment returns an error as one of an environment, unless it is already one: a site that puts up all
// environments at once knows better which of them failed. Nil stays nil.
func InEnvironment(environment string, err error) error {
	if err == nil || errors.As(err, new(*EnvironmentError)) {
		return err
	}
	return &EnvironmentError{environment, err}
}
