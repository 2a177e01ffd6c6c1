// Command pause is the first process of each pod: it holds the pod's namespaces until it is
// terminated.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// If containers share the namespace of processes, orphans become its children; the kernel reaps
	// the children of a process that ignores this signal.
	signal.Ignore(syscall.SIGCHLD)
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
