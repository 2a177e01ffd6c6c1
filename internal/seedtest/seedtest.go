// Package seedtest makes the properties of a package's tests (pgregory.net/rapid) be asked of
// the same drawn values each time, so that a test that passed passes again. Its import is all
// that it takes; -rapid.seed=0 draws others.
package seedtest

import (
	"flag"

	_ "pgregory.net/rapid" // which has the flag
)

func init() { //nolint:gochecknoinits // flags are read before any test could set them
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
