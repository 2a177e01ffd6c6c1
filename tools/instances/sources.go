package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// module is a Go module at a version. The checksum database verifies the download.
type module struct{ path, version string }

// The sources of the catalog.
var (
	typesModule   = module{"github.com/cristim/ec2-instances-info", "v0.0.0-20250528091325-32acf84f42eb"}
	networkModule = module{"github.com/aws/karpenter-provider-aws", "v1.13.1"}
)

// families are the families of the catalog: those that databases and caches run on.
var families = strings.Fields(`
	t2 t3 t3a t4g
	m5 m5d m5n m6i m6id m6g m6gd m6a m7i m7g m7gd m7a m8g
	r5 r5b r5d r5n r6i r6id r6g r6gd r6a r7i r7iz r7g r7gd r7a r8g
	c5 c5d c5n c6i c6id c6g c6gd c6gn c7i c7g c7gd c7gn c7a c8g
	i3 i3en i4i i4g im4gn is4gen i7ie i8g
	x2idn x2iedn x2gd z1d d3 d3en`)

// download returns the directory of the module in Go's module cache.
func (m module) download() (string, error) {
	elsewhere, err := os.MkdirTemp("", "instances") // outside of any module
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

// head returns the comment at the head of the catalog.
func head() string {
	return `# Types of cloud instances. Written by tools/instances; do not edit.
#
# From the Go module ` + typesModule.path + `
# ` + typesModule.version + ` (2025-05-28), which has the data of ec2instances.info:
# vCPUs, memory, architecture, processor, EBS, the maximum of the network, local drives.
# From the Go module ` + networkModule.path + ` ` + networkModule.version + ` (2026-07-10),
# Apache-2.0: the baseline of the network.
# From the repository vantage-sh/ec2instances.info, commit
# 4ef36cd2c9867c1076206dcb691412ae2de7e8dd (2026-07-20), manually_fetched_data.json: CoreMark
# (iterations a second on all vCPUs, measured in December 2025) and NUMA nodes.
#
# ec2instances.info: Copyright (c) 2013 Garret Heaton (powdahound.com). MIT license:
# Permission is hereby granted, free of charge, to any person obtaining a copy of this software
# and associated documentation files (the "Software"), to deal in the Software without
# restriction, including without limitation the rights to use, copy, modify, merge, publish,
# distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
# Software is furnished to do so, subject to the following conditions: The above copyright notice
# and this permission notice shall be included in all copies or substantial portions of the
# Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
# INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE
# AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
# DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
# OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
#
# Bandwidths are in Mbit/s, memory in GiB, drives in GB (10^9 bytes); a hyphen: not published.
` + strings.Join(columns, "\t") + "\n"
}
