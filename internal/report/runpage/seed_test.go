package runpage

import _ "plinth/internal/seedtest"
