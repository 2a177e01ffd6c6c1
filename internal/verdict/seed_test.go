package verdict_test

import _ "plinth/internal/seedtest"
