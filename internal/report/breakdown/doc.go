// Package breakdown shows environments side by side, in the layouts of published comparisons: the
// best environment and the effects at each load; each metric before and after; one line per
// environment; and latency against a numeric property, such as the number of replicas of a volume.
package breakdown
