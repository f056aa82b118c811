/* Sums of values at the same few distances before every row, as a positional head needs them:
 *
 *     output[t] = factor[t] · Σ_j weight[j] · value[t - shift[j]],
 *
 * without the keys that do not exist. Shifts rise. Those that are close together are a run, which
 * slides over the values:
 *
 *                     key  k  k+1 k+2 k+3 k+4 ...      a run of 3 weights, 3 rows at a time:
 *      row t          |   w2  w1  w0   0   0           each value is loaded once for all of
 *      row t + 1      |    0  w2  w1  w0   0           them, and the zeros on either side of
 *      row t + 2      |    0   0  w2  w1  w0           the run make the rows alike
 *
 * Included once for each instruction set, for double alone.
 */

#define TAP_ROWS 3   /* with TAP_WIDTH vectors of sums and one of values they fill 16 registers */
#define TAP_WIDTH 4
#define TAP_TILE 63  /* rows whose sums and values stay in the cache while the runs pass by */
#define TAP_RUN 128  /* longest run; the values of a longer one would leave the cache */
#define TAP_GAP 4    /* between shifts of a run, which costs less than a new one */

/* Add to some rows and vectors of sums. Row r takes key k with weight[r - k]. */
INLINE void NAME(add_taps)(const int rows, const int width, int64_t keys, const double *weight,
                           const double *value, double *output, int64_t columns) {
    vec sum[TAP_ROWS][TAP_WIDTH];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < width; v++) sum[r][v] = NAME(load)(output + r * columns + v * LANES);
    for (int64_t k = 0; k < keys; k++)
        for (int v = 0; v < width; v++) {
            vec x = NAME(load)(value + k * columns + v * LANES);
            for (int r = 0; r < rows; r++) sum[r][v] += weight[r - k] * x;
        }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < width; v++) NAME(store)(output + r * columns + v * LANES, sum[r][v]);
}

/* The same for all columns. */
INLINE void NAME(add_tap_rows)(const int rows, int64_t keys, const double *weight,
                               const double *value, double *output, int64_t columns) {
    int64_t c = 0;
    for (; c + TAP_WIDTH * LANES <= columns; c += TAP_WIDTH * LANES)
        NAME(add_taps)(rows, TAP_WIDTH, keys, weight, value + c, output + c, columns);
    for (; c + LANES <= columns; c += LANES)
        NAME(add_taps)(rows, 1, keys, weight, value + c, output + c, columns);
    for (; c < columns; c++)
        for (int r = 0; r < rows; r++)
            for (int64_t k = 0; k < keys; k++)
                output[r * columns + c] += weight[r - k] * value[k * columns + c];
}

/* Fill output (rows, columns), whose first row is t = first, from value (n, columns). */
static void NAME(taps)(const Taps *taps, const double *value, double *output) {
    const int64_t columns = taps->columns, n = taps->n;
    for (int64_t start = 0; start < taps->rows; start += TAP_TILE) {
        int64_t stop = start + TAP_TILE < taps->rows ? start + TAP_TILE : taps->rows;
        memset(output + start * columns, 0, (size_t)((stop - start) * columns) * sizeof *output);
        for (int64_t j = 0; j < taps->count;) {
            double padded[TAP_RUN + 2 * TAP_ROWS] = {0};
            int64_t shift = taps->shift[j], run = 0;
            for (; j < taps->count; j++) {
                int64_t next = taps->shift[j] - shift;
                if (next >= TAP_RUN || next >= run + TAP_GAP) break;
                padded[TAP_ROWS + next] = taps->weight[j];
                run = next + 1;
            }
            for (int64_t r = start; r < stop;) {
                int64_t t = taps->first + r, key = t - shift - run + 1;
                int rows = r + TAP_ROWS <= stop && key >= 0 && t + TAP_ROWS - 1 - shift < n ? TAP_ROWS : 1;
                int64_t after = t + rows - shift, skip = key < 0 ? -key : 0;
                if (after > n) after = n;
                if (key + skip < after) {
                    /* Row t takes its first key with the last weight of the run. */
                    const double *weight = padded + TAP_ROWS + run - 1 - skip;
                    const double *from = value + (key + skip) * columns;
                    double *to = output + r * columns;
                    if (rows == TAP_ROWS)
                        NAME(add_tap_rows)(TAP_ROWS, after - key, weight, from, to, columns);
                    else
                        NAME(add_tap_rows)(1, after - key - skip, weight, from, to, columns);
                }
                r += rows;
            }
        }
        for (int64_t r = start; r < stop; r++) {
            double *row = output + r * columns;
            for (int64_t c = 0; c < columns; c++) row[c] *= taps->factor[r];
        }
    }
}
