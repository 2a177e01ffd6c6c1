package volume

import "syscall"

// exclusive claims a block device: opening it fails while the kernel has it in use,
// whoever for (open(2), O_EXCL without O_CREAT).
const exclusive = syscall.O_EXCL
