package unit

import _ "plinth/internal/seedtest"
