package relation

import _ "plinth/internal/seedtest"
