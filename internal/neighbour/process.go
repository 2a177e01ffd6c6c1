package neighbour

import "plinth/internal/unit"

// processName is the first argument of a load's process, and what tells it.
const processName = "plinth-neighbour"

// blockSize is what is read or written at once.
const blockSize = 64 * unit.KiB
