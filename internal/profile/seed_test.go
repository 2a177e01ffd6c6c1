package profile

import _ "plinth/internal/seedtest"
