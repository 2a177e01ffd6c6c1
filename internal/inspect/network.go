package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/host"
)

var remoteRules = []rule{
	{
		name: "instance-store", weight: 63, about: ofMachine, check: instanceStore,
		benchmark:  "fast, but compare it only with storage that loses its data as easily",
		production: "all data is lost when the instance stops, is terminated or its hardware fails",
		do:         "keep a synchronous standby elsewhere, or use this disk for temporary files only; plinth run local-with-standby measures the cost of the standby",
	},
	{
		name: "network-storage", weight: 58, about: ofMachine, check: networkStorage,
		benchmark:  "each flush of the WAL crosses the network: other traffic on it, and on the storage servers, is part of the result",
		production: "the latency of the network and of the slowest replica adds to every commit",
		do:         "measure the difference: two environments, one with storage on a local disk; plinth run replicated-storage shows what replicas cost",
	},
	{
		name: "cloud-volume", weight: 24, about: ofMachine, check: cloudVolume,
		benchmark:  "its IOPS and throughput are limited by what was provisioned, by the instance and by burst credits: a run shorter than a burst measures only the burst",
		production: "each flush crosses the provider's network",
		do:         "name the type of the volume in the experiment, so that plinth knows its limits: storage: {data: {directory: DIR, is: gp3, iops: 3000}}; plinth devices lists the types",
	},
}

// remotes returns the roles of the places that are reached over a network in a way for which holds
// returns true, and the last such remote.
func (in *Input) remotes(holds func(host.Remote) bool) (roles []string, last host.Remote) {
	for _, p := range in.Machine.Places {
		if i := slices.IndexFunc(p.Remote, holds); i >= 0 {
			roles, last = append(roles, p.Role), p.Remote[i]
		}
	}
	return roles, last
}

func networkStorage(in *Input) evidence {
	return in.storedOn("network storage", host.Remote.IsBlock)
}

func cloudVolume(in *Input) evidence {
	return in.storedOn("a cloud volume", func(r host.Remote) bool { return r.Protocol == host.Cloud })
}

// storedOn finds places on storage of a kind, with what its replication protects against.
func (in *Input) storedOn(kind string, holds func(host.Remote) bool) evidence {
	roles, r := in.remotes(holds)
	if roles == nil {
		return nothing
	}
	e := found("%s %s on %s (%s)", list(roles), is(len(roles)), kind, r)
	e.production = r.Durability()
	return e
}

// instanceStore finds disks of a cloud instance itself, under places that hold data to keep.
func instanceStore(in *Input) evidence {
	var roles []string
	var disk host.Disk
	for _, p := range in.Machine.Places {
		for _, d := range in.Machine.Disks {
			if p.Role != "temp" && d.Ephemeral && slices.Contains(p.Disks, d.Name) {
				roles, disk = append(roles, p.Role), d
				break
			}
		}
	}
	if roles == nil {
		return nothing
	}
	return found("%s %s on a disk of the instance itself (%s: %s)", list(roles), is(len(roles)), disk.Name, disk.Service)
}

// redisOnNetwork finds an append-only file, or snapshots, on storage of another machine.
func redisOnNetwork(in *Input) evidence {
	where, durability := "", ""
	if roles, p := in.placesWith(func(p host.Place) bool { return p.Network }); roles != nil {
		where = fmt.Sprintf("on a network filesystem (%s, %s)", p.Filesystem, p.Source)
	}
	if roles, r := in.remotes(func(host.Remote) bool { return true }); roles != nil {
		where = cmp.Or(where, "on network storage ("+r.String()+")")
		durability = r.Durability()
	}
	aof, _, _ := in.Redis.Persists()
	if where == "" || !in.persists() {
		return nothing
	}
	e := found("RDB snapshots are %s", where)
	if aof {
		sync, _ := in.config("appendfsync")
		e = found("the append-only file is %s, with appendfsync %s", where, sync)
	}
	e.production = durability
	return e
}
