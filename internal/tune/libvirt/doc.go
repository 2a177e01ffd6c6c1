// Package libvirt tunes the domain of a virtual machine: which CPUs of the machine its
// vCPUs run on, which memory it gets, what it sees of the CPU. A domain is read and
// defined by the program virsh, as administrators do it, so that plinth needs no C
// library and reaches whatever virsh reaches.
//
// What is changed is the definition, which acts when the domain starts next. Only the
// elements that a knob is in are replaced, as libvirtxml writes them; all else stays as
// libvirt printed it. A whole document by way of libvirtxml was rejected: it drops what
// it does not know, such as what a newer libvirt has added.
//
// Source of the elements: libvirt, "Domain XML format"
// (https://libvirt.org/formatdomain.html).
package libvirt
