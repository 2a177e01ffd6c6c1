package knob

import _ "plinth/internal/seedtest"
