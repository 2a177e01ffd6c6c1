package manifest

import (
	"fmt"
	"math"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// quantity returns a size as Kubernetes writes it: 20Gi; in bytes if it is not a multiple of 1 KiB.
func quantity(size unit.Size) string {
	for _, u := range []struct {
		suffix string
		bytes  unit.Size
	}{{"Ti", unit.TiB}, {"Gi", unit.GiB}, {"Mi", unit.MiB}, {"Ki", unit.KiB}} {
		if size >= u.bytes && size%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(size/u.bytes), u.suffix)
		}
	}
	return strconv.FormatInt(int64(size), 10)
}

// cores returns a number of CPUs as Kubernetes writes it: 2, or 500m.
func cores(cpus float64) string {
	if cpus == math.Trunc(cpus) {
		return strconv.FormatFloat(cpus, 'f', 0, 64)
	}
	// 1.999 times 1000 may be a little more than 1999.
	return fmt.Sprintf("%dm", int64(math.Ceil(cpus*1000-1e-6)))
}

// resources returns the resources of a server's container. Unless the limits are burstable, the requests
// equal them, so that with CPUs and memory the pod is guaranteed both (its QoS class is Guaranteed). It
// returns nil for no limits.
func resources(l experiment.Limits) Object {
	limits, requests := Object{}, Object{}
	share := 1
	if l.Burstable {
		share = 2
	}
	if cpus := max(float64(l.CPUs), l.CPUQuota); cpus > 0 {
		limits["cpu"], requests["cpu"] = cores(cpus), cores(cpus/float64(share))
	}
	if l.Memory > 0 {
		limits["memory"], requests["memory"] = quantity(l.Memory), quantity(l.Memory/unit.Size(share))
	}
	if l.HugePages > 0 { // Kubernetes refuses a request that is not the limit
		limits["hugepages-2Mi"], requests["hugepages-2Mi"] = quantity(l.HugePages), quantity(l.HugePages)
	}
	if len(limits) == 0 {
		return nil
	}
	return Object{"limits": limits, "requests": requests}
}
