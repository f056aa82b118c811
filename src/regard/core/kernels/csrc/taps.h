/* Rows of a positional head as sums over shifts: output[t] = factor[t] · Σ_j weight[j] · value[t - shift[j]].
 *
 * A few shifts at a time, a row at a time, some columns at a time: the sums stay in registers while the
 * shifts pass by, and what is read is read in order, so that shifts far apart cost no more than
 * neighbours. Rows are done in tiles, whose sums stay in the first-level cache until all shifts have been
 * added. Short rows that follow each other in memory are done together, as one long row.
 *
 * Included once for each instruction set, for double alone, after float_values.h.
 */

#define TAP_COLUMNS 64 /* of a tile, at most */
#define TAP_SUMS 8192  /* of a tile */
#define TAP_SHIFTS 16  /* at a time */
#define TAP_WIDTH 8    /* vectors of sums in registers */

/* Shifts from <= j < to. */
typedef struct {
    int64_t from, to;
} NAME(Shifts);
#define Shifts NAME(Shifts)

/* Those that lead some row first <= t <= last to a key that exists. */
INLINE Shifts NAME(seen)(const Taps *taps, Shifts some, int64_t first, int64_t last) {
    while (some.from < some.to && taps->shift[some.from] <= first - taps->n) some.from++;
    while (some.from < some.to && taps->shift[some.to - 1] > last) some.to--;
    return some;
}

/* Add shifts to `width` vectors of sums. `value` is what shift 0 leads to. */
INLINE void NAME(add_shifts)(const int width, const Taps *taps, Shifts some, const char *value, double *sums,
                             const int narrow) {
    const int step = LANES * (narrow ? 4 : 8);
    vec sum[TAP_WIDTH];
    for (int v = 0; v < width; v++) sum[v] = NAME(load)(sums + v * LANES);
    for (int64_t j = some.from; j < some.to; j++) {
        const char *row = value - taps->shift[j] * taps->value_row;
        __asm__("" : "+r"(row)); /* or GCC works every address out by itself */
        const vec weight = NAME(all)(taps->weight[j]);
        for (int v = 0; v < width; v++) sum[v] += weight * NAME(read)(row + v * step, narrow);
    }
    for (int v = 0; v < width; v++) NAME(store)(sums + v * LANES, sum[v]);
}

/* The same for all columns of a row. */
INLINE void NAME(add_to_row)(const Taps *taps, Shifts some, const char *value, double *sums, int64_t columns,
                             const int narrow) {
    const int size = narrow ? 4 : 8;
    int64_t c = 0;
    for (; c + TAP_WIDTH * LANES <= columns; c += TAP_WIDTH * LANES)
        NAME(add_shifts)(TAP_WIDTH, taps, some, value + c * size, sums + c, narrow);
    for (; c + LANES <= columns; c += LANES)
        NAME(add_shifts)(1, taps, some, value + c * size, sums + c, narrow);
    for (; c < columns; c++)
        for (int64_t j = some.from; j < some.to; j++)
            sums[c] += taps->weight[j] *
                       NAME(read_one)(value - taps->shift[j] * taps->value_row + c * size, narrow);
}

/* Add all shifts to rows first <= t < end of some columns. */
INLINE void NAME(add_to_tile)(const Taps *taps, int64_t first, int64_t end, const char *value, double *sums,
                              int64_t columns, const int narrow) {
    const int64_t size = narrow ? 4 : 8, width = TAP_WIDTH * LANES;
    const int64_t rows = taps->value_row == columns * size && width % columns == 0 ? width / columns : 1;
    const Shifts every = NAME(seen)(taps, (Shifts){0, taps->count}, first, end - 1);
    for (int64_t j = every.from; j < every.to; j += TAP_SHIFTS) {
        const Shifts few = {j, j + TAP_SHIFTS < every.to ? j + TAP_SHIFTS : every.to};
        for (int64_t t = first; t < end;) {
            const char *row = value + t * taps->value_row;
            double *sum = sums + (t - first) * columns;
            if (rows > 1 && t + rows <= end && taps->shift[few.from] > t + rows - 1 - taps->n &&
                taps->shift[few.to - 1] <= t) {
                NAME(add_shifts)(TAP_WIDTH, taps, few, row, sum, narrow);
                t += rows;
            } else {
                NAME(add_to_row)(taps, NAME(seen)(taps, few, t, t), row, sum, columns, narrow);
                t++;
            }
        }
    }
}

INLINE void NAME(add_all)(const Taps *taps, const char *value, char *output, const int narrow) {
    const int size = narrow ? 4 : 8;
    const int64_t end = taps->first + taps->rows;
    double sums[TAP_SUMS];
    for (int64_t c = 0; c < taps->columns; c += TAP_COLUMNS) {
        const int64_t columns = c + TAP_COLUMNS < taps->columns ? TAP_COLUMNS : taps->columns - c;
        const int64_t tile = TAP_SUMS / columns;
        for (int64_t first = taps->first; first < end; first += tile) {
            const int64_t stop = first + tile < end ? first + tile : end;
            memset(sums, 0, sizeof sums);
            NAME(add_to_tile)(taps, first, stop, value + c * size, sums, columns, narrow);
            for (int64_t t = first; t < stop; t++) {
                const double factor = taps->factor[t - taps->first], *sum = sums + (t - first) * columns;
                char *row = output + (t - taps->first) * taps->output_row + c * size;
                int64_t i = 0;
                for (; i + LANES <= columns; i += LANES)
                    NAME(write)(row + i * size, factor * NAME(load)(sum + i), narrow);
                for (; i < columns; i++) NAME(write_one)(row + i * size, factor * sum[i], narrow);
            }
        }
    }
}

/* Fill output (rows, columns), whose first row is t = first, from value (n, columns). */
static void NAME(taps)(const Taps *taps, const void *value, void *output) {
    if (taps->narrow) NAME(add_all)(taps, value, output, 1);
    else NAME(add_all)(taps, value, output, 0);
}
