/* Compile the kernel for both types, for the instruction set that module.c has set up. */

/* DO(w) with the width of a strip as a constant, for which it is compiled: 1, 2 or WIDTH vectors. */
#if WIDTH > 2
#define FOR_WIDTH(width, DO) \
    switch (width) { \
        case 1: DO(1); break; \
        case 2: DO(2); break; \
        case WIDTH: DO(WIDTH); break; \
    }
#else
#define FOR_WIDTH(width, DO) \
    switch (width) { \
        case 1: DO(1); break; \
        case 2: DO(2); break; \
    }
#endif

#define TYPE float
#define REAL float
#define REAL_BYTES 4
#define INT int32_t
#define MANTISSA 23
#define BIAS 127
#define FURTHEST 4194304.0f /* 2^22; careful.py knows that it is below 2^MANTISSA */
#define EXP2 EXP2_float
#define EXP2_TERMS 6
#define TANH TANH_float
#define TANH_TERMS 6
#include "tile.h"
#include "many_queries.h"
#include "few_queries.h"
#include "work.h"
#include "statistics.h"
#include "measure.h"
#include "undefine.h"

#define TYPE double
#define REAL double
#define REAL_BYTES 8
#define INT int64_t
#define MANTISSA 52
#define BIAS 1023
#define FURTHEST 1125899906842624.0 /* 2^50 */
#define EXP2 EXP2_double
#define EXP2_TERMS 11
#define TANH TANH_double
#define TANH_TERMS 12
#include "tile.h"
#include "many_queries.h"
#include "few_queries.h"
#include "work.h"
#include "statistics.h"
#include "measure.h"
#include "float_values.h"
#include "taps.h"
#include "fourier.h"
#include "undefine.h"

#undef SET
#undef INTRINSICS
#undef VECTOR_BYTES
#undef FOR_WIDTH
#undef WIDTH
#undef ROWS
#undef TILE
