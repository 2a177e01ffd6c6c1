package instance

import _ "plinth/internal/seedtest"
