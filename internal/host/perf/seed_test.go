package perf

import _ "plinth/internal/seedtest"
