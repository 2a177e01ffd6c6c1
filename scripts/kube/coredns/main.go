// Command coredns is CoreDNS with the plugins that a cluster for tests needs. With all of its plugins
// it would need the libraries of several clouds.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func main() {
	dnsserver.Directives = []string{"errors", "cache", "kubernetes"}
	coremain.Run()
}
