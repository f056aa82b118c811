/* Attention in tiles: many queries, as lanes of vectors, against a run of keys.
 *
 *                     a strip of queries (LANES * width of them, side by side)
 *                     q0  q1  q2  q3  ...
 *                   +----------------------+
 *        d_k rows   |   queries            |   packed once per block
 *                   +----------------------+
 *      +----------+ +----------------------+
 * keys |  keys    | |  scores -> weights   |   TILE keys at a time, in the first-level cache
 *      +----------+ +----------------------+
 *      +----------+ +----------------------+
 * d_v  |  valuesᵀ | |  sums                |   kept for the whole block
 *      +----------+ +----------------------+
 *
 * Because the lanes are queries, both products have the same form: multiply a row of lanes by
 * one number that is broadcast from the caller's own key or value, and add. Nothing but the
 * queries is ever packed. The softmax runs down the columns, without a sum across lanes.
 *
 * For each query the largest score · unit so far is kept (`top`), with unit = scale · log2 e, the
 * total of 2^(score · unit - top), and the sums of that times the value. A tile that raises the top
 * shrinks total and sums. Rounding the top makes all terms too large or too small by the same factor,
 * which drops out in the end, as long as that factor is not large itself: tops from FURTHEST on, up
 * or down, are left to another way (see `doubt`).
 *
 * Included once for each REAL and each instruction set.
 */

#include "vector.h"

#define LOG2E 1.4426950408889634074
#define LN2 0.69314718055994530942

/* c = a · b, or c = c · shrink + a · b, for some rows of a and one strip; the compiler knows how
 * many rows and keeps their sums in registers. Entry (r, t) of a is a[r * row + t * step]; b and
 * c have rows of `width` vectors. Where best is given it is raised to the largest entries of c. */
INLINE void NAME(multiply)(const int rows, const int width, int64_t n, const REAL *a, int64_t row,
                           int64_t step, const REAL *b, REAL *c, const vec *shrink, vec *best) {
    vec sum[2 * ROWS][WIDTH];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < width; v++) sum[r][v] = (vec){0};
    for (int64_t t = 0; t < n; t++) {
        vec lanes[WIDTH];
        for (int v = 0; v < width; v++) lanes[v] = NAME(load)(b + (t * width + v) * LANES);
        for (int r = 0; r < rows; r++) {
            REAL x = a[r * row + t * step];
            for (int v = 0; v < width; v++) sum[r][v] += x * lanes[v];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < width; v++) {
            REAL *to = c + (r * width + v) * LANES;
            NAME(store)(to, shrink ? NAME(load)(to) * shrink[v] + sum[r][v] : sum[r][v]);
            if (best) best[v] = NAME(larger)(best[v], sum[r][v]);
        }
}

/* The same for any number of rows. A strip of one vector takes twice as many at a time. */
INLINE void NAME(product)(const int width, int64_t rows, int64_t n, const REAL *a, int64_t row,
                          int64_t step, const REAL *b, REAL *c, const vec *shrink, vec *best) {
    const int most = width == 1 ? 2 * ROWS : ROWS;
    int64_t r = 0;
    for (; r + most <= rows; r += most)
        NAME(multiply)(most, width, n, a + r * row, row, step, b, c + r * width * LANES, shrink, best);
    a += r * row;
    c += r * width * LANES;
    _Static_assert(ROWS == 6, "the cases below are the rows that may be left");
#define LAST(r) case r: NAME(multiply)(r, width, n, a, row, step, b, c, shrink, best); break
    switch (rows - r) {
        LAST(1);
        LAST(2);
        LAST(3);
        LAST(4);
        LAST(5);
        default:
            if (width > 1) break;
            switch (rows - r) {
                LAST(6);
                LAST(7);
                LAST(8);
                LAST(9);
                LAST(10);
                LAST(11);
            }
    }
#undef LAST
}

INLINE void NAME(find_best)(const int width, int64_t keys, const REAL *scores, vec *best) {
    for (int v = 0; v < width; v++) best[v] = NAME(all)(-INFINITY);
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < width; v++)
            best[v] = NAME(larger)(best[v], NAME(load)(scores + (j * width + v) * LANES));
}

/* best · unit, but no further down than FURTHEST, from where terms are 0 beside any that counts. */
INLINE vec NAME(scaled_top)(vec best, REAL unit) {
    vec top = NAME(larger)(best * unit, NAME(all)(-FURTHEST));
    return NAME(choose)((ivec)(best == -INFINITY), best, top);
}

/* NaN where top and total cannot be relied on, and 0 where they can. */
INLINE vec NAME(doubt)(vec top, vec total) {
    ivec far = (ivec)(top >= FURTHEST) | (ivec)(top == -FURTHEST);
    return NAME(choose)(far, NAME(all)(NAN), total * 0);
}

/* Turn a tile of scores into 2^(score · unit - top), and take it into top and total.
 * shrink is what the sums have to be multiplied by before the tile is added to them. */
INLINE void NAME(soften)(const int width, int64_t keys, REAL unit, const vec *best, REAL *scores,
                         REAL *top, REAL *total, vec *shrink) {
    vec off[WIDTH], sum[WIDTH];
    for (int v = 0; v < width; v++) {
        vec before = NAME(load)(top + v * LANES);
        vec after = NAME(larger)(before, NAME(scaled_top)(best[v], unit));
        /* Where nothing was attended to, -inf - 0 makes weights of 0, and -inf + inf would not. */
        off[v] = NAME(choose)((ivec)(after == -INFINITY), (vec){0}, after);
        shrink[v] = NAME(exp2)(before - off[v]);
        NAME(store)(top + v * LANES, after);
        sum[v] = (vec){0};
    }
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < width; v++) {
            REAL *at = scores + (j * width + v) * LANES;
            vec weight = NAME(exp2)(NAME(load)(at) * unit - off[v]);
            NAME(store)(at, weight);
            sum[v] += weight;
        }
    for (int v = 0; v < width; v++) {
        REAL *at = total + v * LANES;
        NAME(store)(at, NAME(load)(at) * shrink[v] + sum[v]);
    }
}

/* Write -inf over the scores of keys outside first <= j < end, both counted from the tile. */
INLINE void NAME(bar_outside)(const int width, int64_t keys, const INT *first, const INT *end,
                              REAL *scores) {
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < width; v++) {
            ivec low, high;
            memcpy(&low, first + v * LANES, sizeof low);
            memcpy(&high, end + v * LANES, sizeof high);
            ivec inside = (ivec)(low <= (INT)j) & (ivec)(high > (INT)j);
            REAL *at = scores + (j * width + v) * LANES;
            NAME(store)(at, NAME(choose)(inside, NAME(load)(at), NAME(all)(-INFINITY)));
        }
}

/* Write -inf over the scores whose byte is 0, and find the best of the others. */
INLINE void NAME(bar_masked)(const int width, int64_t keys, const unsigned char *bytes,
                             REAL *scores, vec *best) {
    for (int v = 0; v < width; v++) best[v] = NAME(all)(-INFINITY);
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < width; v++) {
            ivec barred = NAME(where_zero)(bytes + (j * width + v) * LANES);
            REAL *at = scores + (j * width + v) * LANES;
            vec score = NAME(choose)(barred, NAME(all)(-INFINITY), NAME(load)(at));
            NAME(store)(at, score);
            best[v] = NAME(larger)(best[v], score);
        }
}

/* Scale and cap the scores. */
INLINE void NAME(cap)(const int width, int64_t keys, REAL scale, REAL softcap, REAL *scores) {
    REAL inner = scale / softcap;
    for (int64_t i = 0; i < keys * width; i++) {
        REAL *at = scores + i * LANES;
        NAME(store)(at, NAME(tanh)(NAME(load)(at) * inner) * softcap);
    }
}

/* Scale the scores and add what the mask adds. */
INLINE void NAME(add)(const int width, int64_t keys, REAL scale, const REAL *added, REAL *scores) {
    for (int64_t i = 0; i < keys * width; i++) {
        vec bias = NAME(load)(added + i * LANES);
        vec sum = NAME(load)(scores + i * LANES) * scale + bias;
        /* Where the mask is -inf the score does not count, even if it is NaN. */
        NAME(store)(scores + i * LANES, NAME(choose)((ivec)(bias == -INFINITY), bias, sum));
    }
}
