package manifest

import _ "plinth/internal/seedtest"
