package launch

import "fmt"

// packages lists the packages that contain a program, by distribution.
type packages struct{ debian, fedora, alpine string }

var packagesOf = map[string]packages{
	"mount":           {"mount", "util-linux", "util-linux"},
	"blkid":           {"util-linux", "util-linux", "blkid"},
	"wipefs":          {"util-linux", "util-linux", "wipefs"},
	"mdadm":           same("mdadm"),
	"mkfs.ext4":       same("e2fsprogs"),
	"mkfs.xfs":        same("xfsprogs"),
	"mkfs.btrfs":      same("btrfs-progs"),
	"zpool":           {"zfsutils-linux", "zfs", "zfs"}, // Fedora: from OpenZFS's repository
	"fio":             same("fio"),
	"ssh":             {"openssh-client", "openssh-clients", "openssh-client"},
	"virsh":           {"libvirt-clients", "libvirt-client", "libvirt-client"},
	"postgres":        {"postgresql", "postgresql-server", "postgresql"},
	"pgbench":         {"postgresql postgresql-contrib", "postgresql-server postgresql-contrib", "postgresql postgresql-contrib"},
	"pg_basebackup":   {"postgresql-client", "postgresql", "postgresql-client"},
	"redis-server":    {"redis-server", "redis", "redis"},
	"valkey-server":   {"valkey-server", "valkey", "valkey"},
	"redis-benchmark": {"redis-tools", "redis", "redis"},
}

func same(name string) packages { return packages{name, name, name} }

// Install returns a hint on how to install a program on Debian, Fedora and Alpine.
func Install(program string) string {
	p, known := packagesOf[program]
	if !known {
		return "install " + program
	}
	return fmt.Sprintf("install it: apt install %s, dnf install %s, apk add %s", p.debian, p.fedora, p.alpine)
}
