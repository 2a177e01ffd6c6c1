package experiment

import "strings"

// At is the machine of an environment, if it is not the one that plinth was started on. A plain
// string in the file is SSH.
type At struct {
	SSH     string   `yaml:"ssh" doc:"A machine that plinth enters with your ssh program and its configuration: ssh://db1, ssh://admin@db2:2222. plinth copies itself to a private directory there. Short form: the address alone instead of the keys."`
	Command []string `yaml:"command" doc:"A program, with its arguments, that starts plinth agent on the machine and passes its standard input and output: [docker, exec, -i, pg, plinth, agent]. plinth must be installed there."`
	Become  string   `yaml:"become" enum:"sudo" doc:"sudo: run plinth as root there, with sudo and without a password. Only with ssh."`
}

// There reports whether the file gives a machine.
func (a At) There() bool { return a.SSH != "" || len(a.Command) > 0 }

// Machine returns the name of the machine: its address, or its command.
func (a At) Machine() string {
	if a.SSH != "" {
		return a.SSH
	}
	return strings.Join(a.Command, " ")
}
