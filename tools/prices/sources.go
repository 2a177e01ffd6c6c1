package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// module is a Go module at a version. The checksum database verifies the download.
type module struct{ path, version string }

// The sources of the hourly prices.
var (
	widePrices  = module{"github.com/cristim/ec2-instances-info", "v0.0.0-20250528091325-32acf84f42eb"} // all regions
	newerPrices = module{"github.com/aws/karpenter-provider-aws", "v1.14.1"}                            // on demand, us-east-1 only
)

// download returns the directory of the module in Go's module cache.
func (m module) download() (string, error) {
	elsewhere, err := os.MkdirTemp("", "prices") // outside of any module
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(elsewhere)
	command := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	command.Dir, command.Stderr = elsewhere, os.Stderr
	text, err := command.Output()
	var answer struct{ Dir, Error string }
	if unreadable := json.Unmarshal(text, &answer); err == nil && unreadable != nil {
		err = unreadable
	}
	if err != nil {
		return "", fmt.Errorf("cannot download %s@%s: %w %s", m.path, m.version, err, answer.Error)
	}
	return answer.Dir, nil
}
