package placement

import _ "plinth/internal/seedtest"
