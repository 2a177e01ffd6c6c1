package report_test

import _ "plinth/internal/seedtest"
