package merge

import _ "plinth/internal/seedtest"
