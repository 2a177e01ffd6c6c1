package check

import _ "plinth/internal/seedtest"
