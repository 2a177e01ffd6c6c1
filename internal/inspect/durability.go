package inspect

var durabilityRules = []rule{
	{
		name: "fsync-off", weight: 100, about: ofServer, check: fsyncOff,
		benchmark:  "no commit waits for a disk: the numbers are of no server that anybody may run",
		production: "a crash of the machine can destroy the database, all of it",
	},
	{
		name: "full-page-writes-off", weight: 96, about: ofServer, check: fullPageWritesOff,
		benchmark:  "the server writes less WAL than any that is safe",
		production: "a block that was half written at a crash stays broken",
	},
	{
		name: "assertions", weight: 75, about: ofServer, check: assertions,
		benchmark:  "a build for developers: it checks itself all the time, and is many times slower",
		production: "an assertion that fails ends all sessions",
		do:         "install a server that was built without --enable-cassert",
	},
	{
		name: "synchronous-commit-off", weight: 35, about: ofServer, check: synchronousCommitOff,
		benchmark:  "commits do not wait for the disk: compare only with servers that do not wait, either",
		production: "a crash loses the last commits, up to three times wal_writer_delay (0.6 s by default); nothing breaks",
	},
	{
		name: "checksums-off", weight: 31, about: ofServer, check: checksumsOff,
		benchmark:  "servers with and without do not compare: checksums cost a little CPU, and WAL for hint bits",
		production: "a disk that returns wrong data is not noticed",
		do:         "pg_checksums --enable, with the server stopped",
	},
}

func fsyncOff(in *Input) evidence {
	if !in.off("fsync") {
		return nothing
	}
	return found("fsync is off").set(in, "fsync", "on")
}

// fullPageWritesOff leaves ZFS out, which never writes a block in place.
func fullPageWritesOff(in *Input) evidence {
	data, known := in.place("data")
	if !in.off("full_page_writes") || known && data.Filesystem == "zfs" {
		return nothing
	}
	return found("full_page_writes is off").set(in, "full_page_writes", "on")
}

func assertions(in *Input) evidence {
	if s, known := in.setting("debug_assertions"); !known || !s.On() {
		return nothing
	}
	return found("the server was built with assertions (debug_assertions is on)")
}

func synchronousCommitOff(in *Input) evidence {
	s, known := in.setting("synchronous_commit")
	if !known || s.Value != "off" {
		return nothing
	}
	return found("synchronous_commit is off").set(in, "synchronous_commit", "on")
}

func checksumsOff(in *Input) evidence {
	if !in.off("data_checksums") {
		return nothing
	}
	return found("data checksums are off")
}
