package layout

import (
	"fmt"
	"strings"

	"plinth/internal/price"
)

// durability says what the loss of a host or of a zone takes with it, and what a standby changes.
func (f *finder) durability(l *Layout) []string {
	var localDisks, volumes, striped []string
	for _, d := range l.Disks {
		switch {
		case d.Medium == onLocal && f.holdsDatabase(l, d):
			localDisks = append(localDisks, d.Name)
		case d.Medium != onLocal:
			volumes = append(volumes, d.Name)
		}
		if d.Level == 0 {
			striped = append(striped, d.Name)
		}
	}
	var all []string
	if len(localDisks) > 0 {
		text := fmt.Sprintf("Loss of the host, or a stop of the instance: what is on %s is lost, and with it the cluster.", strings.Join(localDisks, ", "))
		if f.in.Standby != NoStandby {
			text += " The standby takes over."
		}
		all = append(all, text)
	} else {
		all = append(all, "Loss of the host: volumes of EBS outlive it. The server starts on another host with the same volumes.")
	}
	if len(volumes) > 0 {
		all = append(all, fmt.Sprintf("Loss of the zone: a volume of EBS (%s) is in one zone. A standby, or a backup, must be in another.", strings.Join(volumes, ", ")))
	}
	if len(striped) > 0 {
		all = append(all, fmt.Sprintf("RAID 0 (%s): losing one of its volumes loses the whole array, and the cluster.", strings.Join(striped, ", ")))
	}
	all = append(all, standbyWords[f.in.Standby])
	if text := f.standbyCost(l); text != "" {
		all = append(all, text)
	}
	return all
}

var standbyWords = map[string]string{
	NoStandby:    "There is no standby: after a loss, the database is restored from a backup, and what was committed since is lost unless the WAL is archived.",
	AsyncStandby: "The standby is asynchronous: transactions that were committed just before a loss may be missing on it, as many as were on their way.",
	SyncStandby:  "The standby is synchronous: no committed transaction is lost with one machine, but each commit takes a network round trip and a durable write there longer than the figures above, and commits stop while there is no standby.",
}

// holdsDatabase reports whether a part of the database is on the disk.
func (f *finder) holdsDatabase(l *Layout, d Disk) bool {
	for _, k := range d.holds {
		if _, other := f.in.Other[l.Plan.Objects[k].Name]; !other {
			return true
		}
	}
	return false
}

// standbyCost says what the instance and the standby cost beside the storage.
func (f *finder) standbyCost(l *Layout) string {
	machine := price.Unknown
	if f.choice.Book != nil && f.in.instance != nil {
		if item, err := f.choice.Book.Instance(f.choice.Region, f.in.instance.Name, "", 1); err == nil {
			machine = item.Month
		}
	}
	storage := price.Dollars(l.Plan.After.Dollars.USD)
	switch {
	case !l.Plan.After.Dollars.Known || f.choice.Book != nil && f.choice.Book.Currency != "USD":
		return ""
	case f.in.Standby == NoStandby && machine.Known():
		return fmt.Sprintf("The instance costs %s a month besides the storage.", price.Dollars(float64(machine)))
	case f.in.Standby == NoStandby:
		return ""
	case machine.Known():
		return fmt.Sprintf("The standby needs the same storage: %s a month more. The two instances cost %s besides.", storage, price.Dollars(2*float64(machine)))
	}
	return fmt.Sprintf("The standby needs the same storage: %s a month more.", storage)
}
