// Package cloud reports the limits of cloud instances on EBS volumes, the network and CPU time, and
// how long an instance can exceed them.
package cloud
