package share

import (
	"slices"
	"strings"
)

// Parts of the response time, in the order in which they are shown.
const (
	CPU            = "cpu"
	Command        = "command"
	CommandWait    = "command-wait"
	EventLoop      = "event-loop"
	Fork           = "fork"
	AOF            = "aof"
	RunDelay       = "run-delay"
	WALWrite       = "wal-write"
	WALFlush       = "wal-flush"
	WALInsert      = "wal-insert"
	DataRead       = "data-read"
	DataWrite      = "data-write"
	TempFile       = "temp-file"
	RowLock        = "row-lock"
	Lock           = "lock"
	Extension      = "extension"
	Mapping        = "buffer-mapping"
	Content        = "buffer-content"
	LWLock         = "lwlock"
	Standby        = "standby"
	Sleep          = "sleep"
	Other          = "other-wait"
	Generator      = "generator"
	GeneratorDelay = "generator-run-delay"
	Client         = "client"
	Network        = "network"
	Unexplained    = "unexplained"
)

// Title is the name of a part for people.
type Title struct{ Name, Title string }

// Titles returns the names of all parts, in the order in which they are shown.
func Titles() []Title { return slices.Clone(titles) }

var titles = []Title{
	{CPU, "CPU of the backend"},
	{Command, "executing commands"},
	{CommandWait, "commands that wait"},
	{EventLoop, "network and protocol"},
	{Fork, "forks"},
	{AOF, "append-only file"},
	{RunDelay, "waiting for a CPU"},
	{WALWrite, "WAL write"},
	{WALFlush, "WAL flush"},
	{WALInsert, "WAL insertion locks"},
	{DataRead, "data reads"},
	{DataWrite, "data writes by backends"},
	{TempFile, "temporary files"},
	{RowLock, "row locks"},
	{Lock, "other heavyweight locks"},
	{Extension, "extending relations"},
	{Mapping, "buffer mapping locks"},
	{Content, "buffer content locks"},
	{LWLock, "other lightweight locks"},
	{Standby, "synchronous standby"},
	{Sleep, "sleeping on request"},
	{Other, "other waits"},
	{Generator, "CPU of the load generator"},
	{GeneratorDelay, "load generator waiting for a CPU"},
	{Client, "client"},
	{Network, "network"},
	{Unexplained, "not explained"},
}

// exactly maps wait events to parts. Some events have different names in different versions of
// PostgreSQL. https://www.postgresql.org/docs/current/monitoring-stats.html#WAIT-EVENT-TABLE
var exactly = map[string]string{
	"IO.WALWrite": WALWrite, "IO.WALInitWrite": WALWrite, "IO.WALInitSync": WALWrite,
	"IO.WALSync": WALFlush, "IO.WalSync": WALFlush, "IO.WalWrite": WALWrite,
	"IO.WalInitWrite": WALWrite, "IO.WalInitSync": WALWrite,
	// A backend that needs its WAL on disk while another one writes and flushes waits for this lock.
	"LWLock.WALWrite": WALFlush, "LWLock.WALWriteLock": WALFlush,
	"LWLock.WALInsert": WALInsert, "LWLock.wal_insert": WALInsert,
	"LWLock.WALBufMapping": WALInsert, "LWLock.WALBufMappingLock": WALInsert,

	"IO.DataFileRead": DataRead, "IO.DataFilePrefetch": DataRead, "IO.SLRURead": DataRead, "IO.SlruRead": DataRead,
	"IPC.BufferIO": DataRead, "IPC.BufferIo": DataRead, "LWLock.buffer_io": DataRead, "LWLock.BufferIO": DataRead,
	"IO.AioIoCompletion": DataRead, "IO.AioIoUringExecution": DataRead, "IO.AioIoUringSubmit": DataRead,
	"IO.DataFileWrite": DataWrite, "IO.DataFileFlush": DataWrite, "IO.DataFileSync": DataWrite,
	"IO.DataFileImmediateSync": DataWrite, "IO.SLRUWrite": DataWrite, "IO.SlruWrite": DataWrite, "IO.SLRUSync": DataWrite,
	"IO.BuffileRead": TempFile, "IO.BuffileWrite": TempFile, "IO.BufFileRead": TempFile, "IO.BufFileWrite": TempFile,

	"Lock.transactionid": RowLock, "Lock.tuple": RowLock, "Lock.extend": Extension, "IO.DataFileExtend": Extension,
	"LWLock.BufferMapping": Mapping, "LWLock.buffer_mapping": Mapping,
	"LWLock.BufferContent": Content, "LWLock.buffer_content": Content, "BufferPin.BufferPin": Content,
	"IPC.SyncRep": Standby, "Timeout.PgSleep": Sleep,
	"Client.ClientRead": Client, "Client.ClientWrite": Client,
}

// partOf returns the part to which a wait event belongs: "IO.WALSync".
func partOf(event string) string {
	if part, known := exactly[event]; known {
		return part
	}
	switch kind, _, _ := strings.Cut(event, "."); kind {
	case "Lock":
		return Lock
	case "LWLock", "LWLockNamed", "LWLockTranche":
		return LWLock
	case "Client":
		return Client
	}
	return Other
}
