/* One attention call as the threads see it: where the arrays are, and what is left to do. */

#ifndef REGARD_JOB_H
#define REGARD_JOB_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_OUTER = 64, SMALLEST_BLOCK = 64, LARGEST_BLOCK = 256, PLAIN_KEYS = 32 };
enum { QUERIES_FOR_PARTS = 64, KEYS_OF_A_PART = 8064, SCORES_AT_ONCE = 1 << 15 };
#define NO_TASK (INT64_MAX / 2) /* larger than the number of any task, and can be added to */

/* An array (*outer, row, column) of any strides, in bytes. data is NULL where there is none. */
typedef struct {
    char *data;
    int64_t outer[MAX_OUTER];
    int64_t row, column;
} Table;

/* Numbers about the weights of each query that are wanted in place of an output, see statistics.h. */
typedef struct {
    Table lse, entropy, peak;      /* REAL per query */
    Table argmax;                  /* int64 per query */
    Table top_weights, top_keys;   /* REAL and int64, `top` per query */
    Table offset_mass, column_mass; /* REAL per query and offset, per query and column */
    Table received;                /* REAL per key; absent where it is not wanted */
    Table position;                /* int64 per query: one more than that of the query before it */
    int64_t top;                   /* how many of the largest weights */
    const int64_t *offsets, *columns;
    int64_t offset_count, column_count;
    char *rows;                    /* where received is wanted, per problem and query: best, 1 / total */
} Statistics;
enum { STATISTICS_TABLES = 10 };   /* they come first in the struct, */

/* and where they begin for one problem is found in the same order. */
typedef struct {
    char *lse, *entropy, *peak, *argmax, *top_weights, *top_keys, *offset_mass, *column_mass, *received, *position;
} Found;
_Static_assert(offsetof(Statistics, top) == STATISTICS_TABLES * sizeof(Table), "tables come first");
_Static_assert(sizeof(Found) == STATISTICS_TABLES * sizeof(char *), "a place for each table");

enum mask_kind { NO_MASK, BOOLEAN_MASK, ADDED_MASK };

typedef struct {
    Table query, key, value;       /* their last axis is contiguous */
    Table mask;                    /* one byte per pair, or one REAL added to the score */
    Table first, end;              /* int64 per query: keys first <= j < end may be attended to */
    Table output, weights, lse;    /* are filled; weights and lse may be absent */
    int outer_axes;
    int64_t outer[MAX_OUTER];
    int64_t problems;              /* the product of the outer axes */
    int64_t n_q, n_k, d_k, d_v;
    double scale, softcap;         /* softcap 0: none */
    enum mask_kind mask_kind;

    /* A task is a block of queries of one problem against one part of its keys. */
    int few;                       /* so few queries that each is a row, and all are one block */
    int plain;                     /* few, and so few keys and so little to mind that it can be short */
    int64_t block, blocks;         /* queries of a block, blocks of a problem */
    int64_t part, parts;           /* keys of a part, parts of a problem */
    int copies;                    /* tiles of keys and values are copied before they are used */
    int64_t at_once;               /* tasks that a thread takes at a time */
    _Atomic int64_t next;          /* the first task that nobody has taken */
    _Atomic int64_t *parts_left;       /* per block; NULL where parts is 1 */
    char *partial;                 /* per problem, part and query: top, total, sums[d_v] */
    unsigned char *not_finite;     /* per block: infinity or NaN came out, do it again carefully */
    Statistics *statistics;        /* NULL where attention itself is wanted */
} Job;

/* Where the arrays of one problem begin. */
typedef struct {
    const char *query, *key, *value, *mask, *first, *end;
    char *output, *weights, *lse;
} Place;

/* Rows of a positional head, see taps.h. */
typedef struct {
    const int64_t *shift;          /* rising */
    const double *weight;          /* of each shift */
    int64_t count;
    const double *factor;          /* of each row */
    int64_t first, rows;           /* rows first <= t < first + rows */
    int64_t n, columns;            /* of the values */
    int64_t value_row, output_row; /* bytes from one row to the next */
    int narrow;                    /* values and output are float, not double */
} Taps;

/* Convolution of values with the weights of a positional head, see fourier.h. Complex numbers are
 * two doubles. */
typedef struct {
    int64_t n1, n2;                    /* 4 · ... · 4 · (1, 2 or 3) each; transforms have n1 · n2 numbers */
    const double *roots1, *roots2;     /* for each step of such a transform, three of each four numbers */
    const double *between;             /* (n2, n1): between the transforms of columns and of rows */
    const double *spectrum;            /* (n1, n2): of the weights, divided by n1 · n2 */
    const double *factor;              /* of each row */
    int64_t begin, rows;               /* the first number of the convolution that is wanted; how many */
    int64_t keys;                      /* rows of values; what follows them is 0 */
    int64_t value_row, output_row;     /* bytes from one row to the next */
    int narrow;                        /* values and output are float, not double */
} Fourier;

/* Bytes of the roots that the steps of a transform of n numbers need, or -1 if there is none. */
static inline int64_t bytes_of_roots(int64_t n) {
    int64_t bytes = 0;
    for (; n > 0 && n % 4 == 0; n /= 4) bytes += n / 4 * 6 * 8;
    return n >= 1 && n <= 3 ? bytes : -1;
}

/* Bytes for a table of n1 rows, a little apart, and a column of it; each number is two vectors. */
static inline int64_t bytes_of_scratch(int lanes, int64_t n1, int64_t n2) {
    return 2 * lanes * 8 * (n1 * (n2 + 1) + n1) + 64;
}

/* What an instruction set offers. */
typedef struct {
    const char *name;
    int lanes[2], strip[2];                     /* float, double */
    int (*work[2])(Job *, double seconds);      /* take tasks until time is up; 1: some are left,
                                                   -1: memory ran out */
    int (*measure[2])(Job *, double seconds);   /* the same for statistics, query by query, */
    int (*receive[2])(Job *, double seconds);   /* and then, where it is wanted, key by key */
    void (*taps)(const Taps *, const void *value, void *output);
    void (*convolve)(const Fourier *, const void *value, void *output, int64_t columns, char *scratch);
} Kernel;

#endif
