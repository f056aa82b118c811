/* Columns of values convolved with one row of weights, by Fourier transforms of n1 · n2 numbers.
 *
 * Lanes are columns. A number of a transform is two vectors: some columns are its real part and as
 * many others its imaginary part, so that no step ever mixes lanes. The numbers form a table,
 * number t1 · n2 + t2 in row t1 and column t2, and pass through the caches three times:
 *
 *     1. each column is transformed (n1 numbers), and turned by roots of unity;
 *     2. each row is transformed (n2 numbers), multiplied by the spectrum of the weights, and
 *        transformed back;
 *     3. each column is turned back, transformed back and written where it belongs.
 *
 * A transform leaves its results in the order of reversed digits. The one back begins there, and the
 * spectrum of the weights is given in that order, so nothing is ever sorted.
 *
 * Values and output are float or double, and all in between is double.
 *
 * Included once for each instruction set, for double alone, after float_values.h.
 */

typedef struct {
    vec re, im;
} NAME(Number);
#define Number NAME(Number)

#define AHEAD 2 /* columns of the table, which are on their way while others are transformed */

INLINE Number NAME(plus)(Number a, Number b) { return (Number){a.re + b.re, a.im + b.im}; }
INLINE Number NAME(minus)(Number a, Number b) { return (Number){a.re - b.re, a.im - b.im}; }

/* z · i, or z / i on the way back. */
INLINE Number NAME(quarter)(Number z, const int back) {
    return back ? (Number){-z.im, z.re} : (Number){z.im, -z.re};
}

/* z · root, or z / root on the way back. */
INLINE Number NAME(turned)(Number z, const double *root, const int back) {
    double re = root[0], im = back ? -root[1] : root[1];
    return (Number){z.re * re - z.im * im, z.re * im + z.im * re};
}

/* Four numbers m apart, those but the first times three roots, if there are any. */
INLINE void NAME(four)(Number *x, int64_t m, const double *root, const int back) {
    Number a = x[0], b = x[m], c = x[2 * m], d = x[3 * m];
    if (back && root) {
        b = NAME(turned)(b, root, 1);
        c = NAME(turned)(c, root + 2, 1);
        d = NAME(turned)(d, root + 4, 1);
    }
    Number even = NAME(plus)(a, c), odd = NAME(minus)(a, c);
    Number sum = NAME(plus)(b, d), turn = NAME(quarter)(NAME(minus)(b, d), back);
    a = NAME(plus)(even, sum);
    c = NAME(minus)(even, sum);
    b = NAME(plus)(odd, turn);
    d = NAME(minus)(odd, turn);
    if (!back && root) {
        b = NAME(turned)(b, root, 0);
        c = NAME(turned)(c, root + 2, 0);
        d = NAME(turned)(d, root + 4, 0);
    }
    x[0] = a, x[m] = b, x[2 * m] = c, x[3 * m] = d;
}

/* One step of a transform of n numbers, which takes fours of them m apart. */
INLINE void NAME(step)(Number *x, int64_t n, int64_t m, const double *roots, const int back) {
    for (int64_t i = 0; i < n; i += 4 * m) NAME(four)(x + i, m, NULL, back);
    for (int64_t j = 1; j < m; j++)
        for (int64_t i = j; i < n; i += 4 * m) NAME(four)(x + i, m, roots + 6 * j, back);
}

/* The last step, or the first on the way back: pairs or threes that lie together. */
INLINE void NAME(small)(Number *x, int64_t n, int64_t size, const int back) {
    if (size == 2) {
        for (int64_t i = 0; i < n; i += 2) {
            Number a = x[i], b = x[i + 1];
            x[i] = NAME(plus)(a, b), x[i + 1] = NAME(minus)(a, b);
        }
    } else if (size == 3) {
        for (int64_t i = 0; i < n; i += 3) {
            Number a = x[i], sum = NAME(plus)(x[i + 1], x[i + 2]);
            Number turn = NAME(quarter)(NAME(minus)(x[i + 1], x[i + 2]), back);
            Number half = {a.re - 0.5 * sum.re, a.im - 0.5 * sum.im};
            vec re = turn.re * 0.86602540378443864676, im = turn.im * 0.86602540378443864676;
            x[i] = NAME(plus)(a, sum);
            x[i + 1] = (Number){half.re + re, half.im + im};
            x[i + 2] = (Number){half.re - re, half.im - im};
        }
    }
}

/* Transform n = 4 · ... · 4 · (1, 2 or 3) numbers. roots holds those of each step, the first step first. */
static void NAME(forth)(Number *x, int64_t n, const double *roots) {
    int64_t m = n;
    for (; m % 4 == 0; m /= 4, roots += 6 * m) NAME(step)(x, n, m / 4, roots, 0);
    NAME(small)(x, n, m, 0);
}

static void NAME(back)(Number *x, int64_t n, const double *roots) {
    int64_t m = n;
    for (; m % 4 == 0; m /= 4) roots += 6 * (m / 4);
    NAME(small)(x, n, m, 1);
    for (; m < n; m *= 4) {
        roots -= 6 * m;
        NAME(step)(x, n, m, roots, 1);
    }
}

/* Read up to 2 · LANES columns of a row, the missing ones as 0; narrow: they are floats. */
INLINE Number NAME(read_columns)(const char *row, int64_t columns, const int narrow) {
    const int size = narrow ? 4 : 8;
    if (columns >= 2 * LANES) return (Number){NAME(read)(row, narrow), NAME(read)(row + LANES * size, narrow)};
    double all[2 * LANES] = {0};
    for (int64_t c = 0; c < columns; c++) all[c] = NAME(read_one)(row + c * size, narrow);
    return (Number){NAME(load)(all), NAME(load)(all + LANES)};
}

INLINE void NAME(write_columns)(char *row, int64_t columns, Number x, const int narrow) {
    const int size = narrow ? 4 : 8;
    if (columns >= 2 * LANES) {
        NAME(write)(row, x.re, narrow), NAME(write)(row + LANES * size, x.im, narrow);
        return;
    }
    double all[2 * LANES];
    NAME(store)(all, x.re), NAME(store)(all + LANES, x.im);
    for (int64_t c = 0; c < columns; c++) NAME(write_one)(row + c * size, all[c], narrow);
}

INLINE void NAME(convolve_columns)(const Fourier *job, const char *value, char *output, int64_t columns,
                                   char *scratch, const int narrow) {
    const int size = narrow ? 4 : 8;
    const int64_t n1 = job->n1, n2 = job->n2, across = n2 + 1; /* odd, or columns collide in the caches */
    Number *table = (Number *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63), *line = table + n1 * across;
    for (int64_t c = 0; c < columns; c += 2 * LANES) {
        for (int64_t t2 = 0; t2 < n2; t2++) {
            const double *roots = job->between + 2 * n1 * t2;
            for (int64_t t1 = 0; t1 < n1; t1++) {
                int64_t t = t1 * n2 + t2, next = t + AHEAD;
                if (next < job->keys) __builtin_prefetch(value + next * job->value_row + c * size);
                __builtin_prefetch(table + t1 * across + t2 + AHEAD, 1);
                const char *row = value + t * job->value_row + c * size;
                line[t1] = t < job->keys ? NAME(read_columns)(row, columns - c, narrow) : (Number){{0}, {0}};
            }
            NAME(forth)(line, n1, job->roots1);
            for (int64_t t1 = 0; t1 < n1; t1++)
                table[t1 * across + t2] = NAME(turned)(line[t1], roots + 2 * t1, 0);
        }
        for (int64_t t1 = 0; t1 < n1; t1++) {
            Number *row = table + t1 * across;
            const double *spectrum = job->spectrum + 2 * n2 * t1;
            NAME(forth)(row, n2, job->roots2);
            for (int64_t t2 = 0; t2 < n2; t2++) row[t2] = NAME(turned)(row[t2], spectrum + 2 * t2, 0);
            NAME(back)(row, n2, job->roots2);
        }
        for (int64_t t2 = 0; t2 < n2; t2++) {
            const double *roots = job->between + 2 * n1 * t2;
            for (int64_t t1 = 0; t1 < n1; t1++) {
                int64_t next = t1 * n2 + t2 + AHEAD - job->begin;
                if (next >= 0 && next < job->rows)
                    __builtin_prefetch(output + next * job->output_row + c * size, 1);
                __builtin_prefetch(table + t1 * across + t2 + AHEAD);
                line[t1] = NAME(turned)(table[t1 * across + t2], roots + 2 * t1, 1);
            }
            NAME(back)(line, n1, job->roots1);
            for (int64_t t1 = 0; t1 < n1; t1++) {
                int64_t row = t1 * n2 + t2 - job->begin;
                if (row < 0 || row >= job->rows) continue;
                Number x = {line[t1].re * job->factor[row], line[t1].im * job->factor[row]};
                NAME(write_columns)(output + row * job->output_row + c * size, columns - c, x, narrow);
            }
        }
    }
}

/* Fill some columns of the output, 2 · LANES of them at a time. scratch has bytes_of_scratch. */
static void NAME(convolve)(const Fourier *job, const void *value, void *output, int64_t columns,
                           char *scratch) {
    if (job->narrow) NAME(convolve_columns)(job, value, output, columns, scratch, 1);
    else NAME(convolve_columns)(job, value, output, columns, scratch, 0);
}
