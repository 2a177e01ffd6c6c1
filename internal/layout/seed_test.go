package layout

import _ "plinth/internal/seedtest"
