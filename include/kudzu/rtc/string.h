// <string.h> of programs compiled at run time: memcpy and memset are there anyway.
