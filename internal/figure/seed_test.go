package figure_test

import _ "plinth/internal/seedtest"
