package compare_test

import _ "plinth/internal/seedtest"
