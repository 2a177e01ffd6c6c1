package stats

import _ "plinth/internal/seedtest"
