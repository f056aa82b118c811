/* Statistics of the weights of each query, without the weights and without values.
 *
 * For each query the largest score so far is kept (`best`, in strip->top, before it is scaled), and with
 * d = (score - best) · unit ≤ 0
 *
 *     rest = Σ 2^d       over all keys but the one that is best    (in strip->total)
 *     fall = Σ 2^d · d   over all keys
 *
 * so that with total = 1 + rest:  lse = best · scale + log1p(rest),  peak = 1 / total,  and the
 * entropy is log1p(rest) - ln 2 · fall / total: two numbers that are not negative, where lse - E[score]
 * would cancel. A tile that holds a better score turns the old best one into one of the rest.
 *
 * Scores that are asked for by their key (offsets, columns, the largest ones) are kept as they are, in
 * the arrays of the result, and become weights when best and total are known.
 *
 * Included after many_queries.h, once for each REAL and each instruction set.
 */

/* What is kept for the queries of a strip beside what the strip has. */
typedef struct {
    REAL *fall;                     /* a row */
    int64_t *argmax;                /* a row; -1 while there is none */
    int64_t *found;                 /* a row: how many of the largest there are yet */
    REAL *floor;                    /* a row: what a score has to exceed to be among the largest */
    REAL *score;                    /* `top` per lane: a heap with the worst on top */
    int64_t *key;                   /* of these */
} NAME(Tally);
#define Tally NAME(Tally)

/* Entry (row, column) of a table of the problem whose table begins at `data`. */
INLINE REAL *NAME(number)(char *data, const Table *table, int64_t row, int64_t column) {
    return (REAL *)(data + row * table->row + column * table->column);
}

/* Whether a score and its key come after another in the order of the largest. */
INLINE int NAME(worse)(REAL score, int64_t key, REAL other, int64_t other_key) {
    return score < other || (score == other && key > other_key);
}

/* Let the first of count entries of a heap sink to where it belongs. */
static void NAME(sink)(REAL *score, int64_t *key, int64_t count) {
    REAL own = score[0];
    int64_t own_key = key[0], i = 0;
    for (int64_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && NAME(worse)(score[child + 1], key[child + 1], score[child], key[child])) child++;
        if (!NAME(worse)(score[child], key[child], own, own_key)) break;
        score[i] = score[child], key[i] = key[child];
    }
    score[i] = own, key[i] = own_key;
}

/* Take a score into the `top` largest of lane q. Keys come in rising order. */
static void NAME(take_in)(Tally *tally, int64_t top, int64_t q, REAL own, int64_t own_key) {
    REAL *score = tally->score + q * top;
    int64_t *key = tally->key + q * top;
    if (tally->found[q] < top) {
        int64_t i = tally->found[q]++;
        for (int64_t parent; i > 0; i = parent) {
            parent = (i - 1) / 2;
            if (!NAME(worse)(own, own_key, score[parent], key[parent])) break;
            score[i] = score[parent], key[i] = key[parent];
        }
        score[i] = own, key[i] = own_key;
    } else {
        score[0] = own, key[0] = own_key;
        NAME(sink)(score, key, top);
    }
    if (tally->found[q] == top) tally->floor[q] = score[0];
}

/* Take the scores of a tile into the largest of each lane. */
INLINE void NAME(take_largest)(const int width, int64_t keys, int64_t start, int64_t top, int64_t count,
                               const vec *best, const REAL *scores, Tally *tally) {
    for (int v = 0; v < width; v++) {
        vec floor = NAME(load)(tally->floor + v * LANES);
        int64_t there = count - v * LANES;
        unsigned lanes = there <= 0 ? 0 : there >= LANES ? ~0u : (1u << there) - 1;
        if (!(NAME(above)(best[v], floor) & lanes)) continue;
        for (int64_t j = 0; j < keys; j++) {
            const REAL *at = scores + (j * width + v) * LANES;
            unsigned more = NAME(above)(NAME(load)(at), floor) & lanes;
            if (!more) continue;
            for (; more; more &= more - 1) {
                int i = __builtin_ctz(more);
                NAME(take_in)(tally, top, v * LANES + i, at[i], start + j);
            }
            floor = NAME(load)(tally->floor + v * LANES);
        }
    }
}

/* Keep the scores of the tile that are asked for by their key, in the arrays of the result. */
static void NAME(keep_asked)(const Job *job, const Strip *strip, const Found *at, int64_t start, int64_t stop,
                             const REAL *scores) {
    const Statistics *asked = job->statistics;
    int64_t lanes = strip->width * LANES;
    for (int64_t c = 0; c < asked->column_count; c++) {
        int64_t j = asked->columns[c] - start;
        if (j < 0 || j >= stop - start) continue;
        for (int64_t q = 0; q < strip->count; q++)
            *NAME(number)(at->column_mass, &asked->column_mass, strip->start + q, c) = scores[j * lanes + q];
    }
    if (!asked->offset_count) return;
    int64_t position = *NAME(whole)(at->position, strip->start, asked->position.row);
    for (int64_t o = 0; o < asked->offset_count; o++) {
        int64_t first = start + asked->offsets[o] - position; /* the lane whose key is `start` */
        int64_t last = first + stop - start;
        if (last > strip->count) last = strip->count;
        for (int64_t q = first < 0 ? 0 : first; q < last; q++)
            *NAME(number)(at->offset_mass, &asked->offset_mass, strip->start + q, o) = scores[(q - first) * lanes + q];
    }
}

/* Find the keys of a tile that are better than all before them, the first of equals, and take them
 * out of the scores: they are not of the rest. */
INLINE void NAME(find_argmax)(const int width, int64_t keys, int64_t start, const vec *best, const Strip *strip,
                              REAL *scores, int64_t *argmax) {
    for (int v = 0; v < width; v++) {
        unsigned better = NAME(above)(best[v], NAME(load)(strip->top + v * LANES));
        ivec at = (ivec){0} - 1;
        if (!better) continue;
        for (int64_t j = keys - 1; j >= 0; j--) {
            ivec here = (ivec)(NAME(load)(scores + (j * width + v) * LANES) == best[v]);
            at = (ivec)NAME(choose)(here, (vec)((ivec){0} + (INT)j), (vec)at);
        }
        for (; better; better &= better - 1) {
            int i = __builtin_ctz(better);
            if (at[i] < 0) continue; /* best is not to be relied on, beside NaN */
            argmax[v * LANES + i] = start + at[i];
            scores[(at[i] * width + v) * LANES + i] = -INFINITY;
        }
    }
}

/* Take the scores of a tile, its new best ones taken out, into best, rest and fall. */
INLINE void NAME(take_rest)(const int width, int64_t keys, REAL unit, const vec *best, const REAL *scores,
                            Strip *strip, REAL *fall) {
    vec off[WIDTH], rest[WIDTH], falls[WIDTH];
    for (int v = 0; v < width; v++) {
        vec before = NAME(load)(strip->top + v * LANES), was = NAME(load)(strip->total + v * LANES);
        vec after = NAME(larger)(best[v], before);
        off[v] = NAME(choose)((ivec)(after == -INFINITY), (vec){0}, after);
        /* Where there was nothing before, this is LOWEST, whose power is 0. */
        vec step = NAME(larger)(NAME(all)(LOWEST), (before - off[v]) * unit), shrink = NAME(exp2)(step);
        vec total = 1 + was;
        rest[v] = NAME(choose)((ivec)(best[v] > before), total * shrink, was);
        falls[v] = (NAME(load)(fall + v * LANES) + step * total) * shrink;
        NAME(store)(strip->top + v * LANES, after);
    }
    vec tile_rest[WIDTH], tile_fall[WIDTH];
    for (int v = 0; v < width; v++) tile_rest[v] = tile_fall[v] = (vec){0};
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < width; v++) {
            vec down = (NAME(load)(scores + (j * width + v) * LANES) - off[v]) * unit;
            down = NAME(larger)(NAME(all)(LOWEST), down); /* -inf · 0 would be NaN */
            vec weight = NAME(exp2)(down);
            tile_rest[v] += weight;
            tile_fall[v] += weight * down;
        }
    for (int v = 0; v < width; v++) {
        NAME(store)(strip->total + v * LANES, rest[v] + tile_rest[v]);
        NAME(store)(fall + v * LANES, falls[v] + tile_fall[v]);
    }
}

/* Turn a score that was kept into a weight. */
INLINE REAL NAME(weight_of)(REAL score, REAL best, REAL total, REAL unit) {
    if (score == -INFINITY) return 0; /* also beside NaN: it is not attended to */
    return NAME(exp2)(NAME(all)((score - best) * unit))[0] / total;
}

/* Sort the largest of lane q and write their weights, then 0 and -1 where there are fewer. */
static void NAME(write_largest)(const Job *job, const Found *at, const Scratch *scratch, Tally *tally, int64_t q,
                                int64_t row, REAL best, REAL total) {
    const Statistics *asked = job->statistics;
    REAL *score = tally->score + q * asked->top;
    int64_t *key = tally->key + q * asked->top;
    char *keys = at->top_keys + row * asked->top_keys.row;
    for (int64_t r = asked->top - 1; r >= 0; r--) {
        REAL *weight = NAME(number)(at->top_weights, &asked->top_weights, row, r);
        int64_t *place = (int64_t *)(keys + r * asked->top_keys.column);
        *weight = 0, *place = -1;
        if (r >= tally->found[q]) continue;
        *weight = NAME(weight_of)(score[0], best, total, scratch->unit), *place = key[0];
        score[0] = score[r], key[0] = key[r];
        NAME(sink)(score, key, r);
    }
}

/* Write what there is to say about the queries of a strip. lse is NaN where none of it is to be relied
 * on: NaN or infinity among the scores, or a score so low that it has become -inf. */
static void NAME(write_tally)(const Job *job, const Place *place, const Found *at, const Scratch *scratch,
                              const Strip *strip, Tally *tally, int64_t problem) {
    const Statistics *asked = job->statistics;
    for (int64_t q = 0; q < strip->count; q++) {
        int64_t row = strip->start + q;
        REAL best = strip->top[q], rest = strip->total[q], total = 1 + rest;
        int empty = best == -INFINITY && rest == 0;
        double log_total = log1p((double)rest), lse = (double)best * scratch->factor + log_total;
        double entropy = log_total - (double)tally->fall[q] * LN2 / (1 + (double)rest);
        int doubt = !(lse < INFINITY) || (empty && NAME(reaches_any)(job, place, row));
        *NAME(number)(at->lse, &asked->lse, row, 0) = doubt ? (REAL)NAN : (REAL)lse;
        *NAME(number)(at->entropy, &asked->entropy, row, 0) = (REAL)entropy;
        *NAME(number)(at->peak, &asked->peak, row, 0) = empty ? 0 : 1 / total;
        *(int64_t *)(at->argmax + row * asked->argmax.row) = tally->argmax[q];
        if (asked->rows) {
            REAL *to = (REAL *)asked->rows + (problem * job->n_q + row) * 2;
            to[0] = empty ? 0 : best, to[1] = empty ? 0 : 1 / total;
        }
        if (asked->top) NAME(write_largest)(job, at, scratch, tally, q, row, best, total);
        for (int64_t c = 0; c < asked->column_count; c++) {
            REAL *to = NAME(number)(at->column_mass, &asked->column_mass, row, c);
            *to = NAME(weight_of)(*to, best, total, scratch->unit);
        }
        for (int64_t o = 0; o < asked->offset_count; o++) {
            REAL *to = NAME(number)(at->offset_mass, &asked->offset_mass, row, o);
            *to = NAME(weight_of)(*to, best, total, scratch->unit);
        }
    }
}
