// Package overssh tests plinth on machines that it reaches over ssh: network namespaces, each with
// its own OpenSSH server, host name and files.
package overssh
