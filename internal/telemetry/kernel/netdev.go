package kernel

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// netField is a metric taken from one number of a line of /proc/net/dev.
type netField struct {
	metric.Metric
	at int // the number's position after the interface's name
}

var netFields = []netField{
	netRate("rx_bytes", "bytes/s", 0, "bytes received"),
	netRate("rx_packets", "1/s", 1, "packets received"),
	netRate("rx_errors", "1/s", 2, "packets received with an error"),
	netRate("rx_dropped", "1/s", 3, "received packets dropped because no protocol handled them or because buffers were full"),
	netRate("tx_bytes", "bytes/s", 8, "bytes sent"),
	netRate("tx_packets", "1/s", 9, "packets sent"),
	netRate("tx_errors", "1/s", 10, "packets not sent because of an error"),
	netRate("tx_dropped", "1/s", 11, "packets dropped before they were sent because buffers were full"),
}

func netRate(name, unit string, at int, help string) netField {
	return netField{metric.Metric{Name: "netdev.{interface}." + name, Kind: metric.Rate, Unit: unit, Help: help}, at}
}

func netMetrics() []metric.Metric {
	var all []metric.Metric
	for _, f := range netFields {
		all = append(all, f.Metric)
	}
	return from("/proc/net/dev, or that of the server's network namespace", "proc_pid_net(5)", all...)
}

// mostInterfaces limits how many interfaces have columns: a machine full of containers has
// hundreds.
const mostInterfaces = 32

// netdev is the source of network interface activity. An interface that has never moved a
// packet has no columns, except the loopback, which exists everywhere.
type netdev struct {
	file       file
	interfaces map[string][]telemetry.Slot // of netFields
}

func openNetdev(m *machine) (reader, error) {
	return &netdev{file: newFile(m.Root, m.network()), interfaces: map[string][]telemetry.Slot{}}, nil
}

// network returns the file with the interfaces of the server, which may have a network namespace of its own,
// such as that of its pod.
func (m *machine) network() string {
	here := "proc/net/dev"
	if m.Owners[serverName] == nil {
		return here
	}
	server := path.Join("proc", strconv.Itoa(m.Owners[serverName]()))
	theirs, err := os.Readlink(filepath.Join(m.Root, server, "ns/net"))
	if ours, failed := os.Readlink(filepath.Join(m.Root, "proc/self/ns/net")); err != nil || failed != nil || theirs == ours {
		return here
	}
	return path.Join(server, "net/dev")
}

func (n *netdev) close() { n.file.close() }

var errNoInterface = errors.New("has no line for an interface")

func (n *netdev) readTo(b *telemetry.Board) error {
	text, err := n.file.read()
	if err != nil {
		return err
	}
	lines := 0
	for len(text) > 0 {
		var line []byte
		line, text = proc.CutLine(text)
		var numbers proc.NetNumbers
		if name, ok := proc.Interface(line, &numbers); ok {
			n.put(b, name, &numbers)
			lines++
		}
	}
	if lines == 0 {
		return fmt.Errorf("%s %w", n.file.path, errNoInterface)
	}
	return nil
}

func (n *netdev) put(b *telemetry.Board, name []byte, numbers *proc.NetNumbers) {
	slots, known := n.interfaces[string(name)]
	if !known {
		idle := *numbers == (proc.NetNumbers{}) && string(name) != "lo"
		if idle || len(n.interfaces) == mostInterfaces {
			return
		}
		slots = n.bind(b, string(name))
	}
	for i, f := range netFields {
		b.Put(slots[i], float64(numbers[f.at]))
	}
}

// bind creates the columns of an interface. Until now it did not exist or had counted
// nothing.
func (n *netdev) bind(b *telemetry.Board, name string) (slots []telemetry.Slot) {
	for _, f := range netFields {
		slot := b.Column(f.Metric, name)
		b.Before(slot, 0)
		slots = append(slots, slot)
	}
	n.interfaces[name] = slots
	return slots
}
