// Package volume lays out storage: the places where servers keep their data.
//
// A volume is a directory of plinth's own below one that is there:
//
//	PARENT/NAME/                made by plinth
//	PARENT/NAME/plinth-volume   the marker: the id that the journal knows
//	PARENT/NAME/data/           empty, private, the server's own
//
// or a filesystem that is made for it, on a block device that is there, a file, an
// emulated device, or an array of these. It is made of steps, from the disk up, and
// each is in the journal, synced, before it is done:
//
//	directory             the room: mount points and control sockets, in /run/plinth
//	file                  what holds the data of a loop device or an emulator
//	emulated-device       a process that serves a file as a filesystem of its own, or as
//	                      an nbd device, in the time of a model
//	loop-device           a block device on the file, with direct I/O
//	block-device-setting  write cache, scheduler, read-ahead
//	array                 by mdadm
//	filesystem, pool      by mkfs on a device that stays; by zpool
//	mount                 by mount
//
// They are undone in reverse order, by whoever has the journal. An undoer touches
// only what it can tell to be ours: a file by its inode and birth, a loop device by
// its file's inode, an array, a filesystem and a pool by the UUID or name that plinth
// chose for it, wherever its device is by now, a setting by its boot and the value that
// it was given, a directory by its marker, and a mount by being in a room. None of them hangs on an emulator that does not answer:
// its connection is aborted first, then the filesystem unmounted, the loop device
// freed, and the emulator's own filesystem unmounted last. The connection of an nbd
// device is aborted by killing its emulator, which is told by listening at its socket.
package volume
