package experiment

import (
	"slices"
	"strings"
)

// Here is the machine that plinth was started on, where the file gives it.
const Here = "here"

// At is the machine of an environment, if it is not the one that plinth was started on. A plain
// string in the file is SSH.
type At struct {
	SSH     string   `yaml:"ssh" doc:"A machine that plinth logs in to with your ssh program and its configuration: ssh://db1, ssh://admin@db2:2222; or here, the machine that plinth was started on. plinth copies itself to a private directory there. Short form: the address alone instead of the keys."`
	Command []string `yaml:"command" doc:"A program, with its arguments, that starts plinth agent on the machine and passes its standard input and output: [docker, exec, -i, pg, plinth, agent]. plinth must be installed there."`
	Become  string   `yaml:"become" enum:"sudo" doc:"sudo: run plinth as root there, with sudo and without a password. Only with ssh."`
}

// Given reports whether the file gives a machine, be it Here.
func (a At) Given() bool { return a.SSH != "" || len(a.Command) > 0 }

// There reports whether the machine is another one than that which plinth was started on.
func (a At) There() bool { return a.Given() && a.SSH != Here }

// Machine returns the name of the machine: its address, or its command; empty for the one that plinth
// was started on.
func (a At) Machine() string {
	switch {
	case a.SSH == Here:
		return ""
	case a.SSH != "":
		return a.SSH
	}
	return strings.Join(a.Command, " ")
}

// Generators are the machines of the load generators, if they are not beside the servers that they drive.
type Generators struct {
	At   []At   `yaml:"at" doc:"Machines of the load generators: ssh://load1, [ssh://load1, ssh://load2], here (the machine that plinth was started on). Several share the clients. Default: each server is driven from its own machine."`
	Pods int    `yaml:"pods" min:"1" max:"100" doc:"With kubernetes: number of pods that drive each server on Kubernetes, and share the clients. Default: 1."`
	Node string `yaml:"node" enum:"apart,same" doc:"With kubernetes: the nodes of these pods. apart: not a node with a server. same: a node with a server. Default: apart if the cluster has such a node with room, otherwise any node."`
}

// Elsewhere reports whether the load generators are not beside the servers.
func (g Generators) Elsewhere() bool { return len(g.At) > 0 }

// OnCluster is the name of the machine of all environments that run on Kubernetes: the cluster.
const OnCluster = "kubernetes"

// Machine returns the name of the environment's machine; empty for the one that plinth was started on.
func (e *Environment) Machine() string {
	if e.Kubernetes.There() {
		return OnCluster
	}
	return e.At.Machine()
}

// Machines returns all machines of the experiment, each once: those of the environments, and those of
// the load generators. The cluster of environments on Kubernetes is not among them.
func (e *Experiment) Machines() (all []At) {
	for _, environment := range e.Environments {
		if !environment.Kubernetes.There() {
			all = append(all, environment.At)
		}
	}
	all = append(all, e.Driver.At...)
	var once []At
	for _, at := range all {
		if !slices.ContainsFunc(once, func(known At) bool { return known.Machine() == at.Machine() }) {
			once = append(once, at)
		}
	}
	return once
}
