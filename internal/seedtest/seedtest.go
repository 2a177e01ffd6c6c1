// Package seedtest fixes the random seed of property tests (pgregory.net/rapid), so that each run
// of a package's tests checks the same values. Importing the package is enough; -rapid.seed=0
// draws other values.
package seedtest

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

func init() { //nolint:gochecknoinits // rapid reads the flag before a test could set it
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
