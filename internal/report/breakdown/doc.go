// Package breakdown lays environments out side by side, in the forms of published comparisons:
// each load with its best environment and effects, metric by metric before and after, one line
// per environment, and latency against a property that is a number, such as the replicas of a
// volume.
package breakdown
