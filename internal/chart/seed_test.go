package chart

import _ "plinth/internal/seedtest"
