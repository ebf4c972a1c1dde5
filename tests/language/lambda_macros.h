// A macro of a header that stands for execution spaces.
#ifndef LAMBDA_MACROS_H
#define LAMBDA_MACROS_H

#define BOTH_OF_HEADER __host__ __device__

#endif
