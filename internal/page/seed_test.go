package page

import _ "plinth/internal/seedtest"
