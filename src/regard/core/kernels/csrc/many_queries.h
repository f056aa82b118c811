/* A task with many queries: a block of them, in strips, against one part of the keys.
 *
 * Included after tile.h, once for each REAL and each instruction set.
 */

#define STRIP (WIDTH * LANES)
#define STRIPS ((LARGEST_BLOCK + STRIP - 1) / STRIP)
enum { NAME(lanes) = LANES, NAME(strip) = STRIP };
_Static_assert(SMALLEST_BLOCK % STRIP == 0, "blocks are cut into whole strips");
_Static_assert(KEYS_OF_A_PART % TILE == 0, "parts are cut into whole tiles");

/* Some queries side by side. Rows of lanes hold `width` vectors. */
typedef struct {
    int width;
    int fresh;                      /* nothing was added to the sums yet, and they are not set */
    int64_t start, count;           /* queries; lanes from count on are padding */
    int64_t some_first, some_end;   /* keys that some of them may attend to */
    int64_t all_first, all_end;     /* keys that all of them may attend to */
    REAL *query;                    /* d_k rows */
    REAL *sums;                     /* d_v rows */
    REAL *top, *total;              /* a row each */
} NAME(Strip);
#define Strip NAME(Strip)

/* What a thread needs to work on a block. */
typedef struct {
    Strip strips[STRIPS];
    REAL scale;                     /* what scores are multiplied by in the exponent; never < 0 */
    REAL unit;                      /* scale · log2 e */
    double factor;                  /* the scale, not rounded to REAL */
    REAL *scores;                   /* TILE rows; a row per key where weights are wanted */
    REAL *copy;                     /* room for a tile's keys and values, or NULL */
    REAL *tops;                     /* where weights are wanted: top after each tile, a row each */
    REAL added[TILE * STRIP] __attribute__((aligned(64)));
    unsigned char bytes[TILE * STRIP] __attribute__((aligned(64)));
    INT first[STRIP] __attribute__((aligned(64))), end[STRIP] __attribute__((aligned(64)));
} NAME(Scratch);
#define Scratch NAME(Scratch)

/* The keys and values of a tile: the caller's own, or a copy of them. */
typedef struct {
    const REAL *key, *value;
    int64_t key_row, value_row;     /* entries from one row to the next */
} NAME(Source);
#define Source NAME(Source)

static const int64_t *NAME(whole)(const char *data, int64_t index, int64_t stride) {
    return (const int64_t *)(data + index * stride);
}

/* Read LANES rows of LANES numbers, 0 for rows from count on, and turn them. */
INLINE void NAME(read_turned)(const char *from, int64_t row, int64_t count, vec block[LANES]) {
    for (int i = 0; i < LANES; i++)
        block[i] = i < count ? NAME(load)((const REAL *)(from + i * row)) : (vec){0};
    NAME(turn)(block);
}

/* Turn LANES rows of LANES numbers and write the first count of them. */
INLINE void NAME(write_turned)(char *to, int64_t row, int64_t count, vec block[LANES]) {
    NAME(turn)(block);
    for (int i = 0; i < LANES && i < count; i++) NAME(store)((REAL *)(to + i * row), block[i]);
}

/* Pack the queries of a strip, lanes side by side, and find out which keys they reach. */
static void NAME(begin)(const Job *job, const Place *place, Strip *strip) {
    int64_t lanes = strip->width * LANES;
    REAL sign = job->scale < 0 ? -1 : job->scale > 0; /* scale 0 makes the queries 0 */
    for (int64_t q = 0; q < lanes; q += LANES) {
        const char *from = place->query + (strip->start + q) * job->query.row;
        int64_t count = strip->count - q, d = 0;
        for (; d + LANES <= job->d_k; d += LANES) {
            vec block[LANES];
            NAME(read_turned)(from + d * REAL_BYTES, job->query.row, count, block);
            for (int i = 0; i < LANES; i++)
                NAME(store)(strip->query + (d + i) * lanes + q, block[i] * sign);
        }
        for (; d < job->d_k; d++)
            for (int64_t i = 0; i < LANES; i++) {
                const REAL *one = (const REAL *)(from + i * job->query.row);
                strip->query[d * lanes + q + i] = i < count ? sign * one[d] : 0;
            }
        NAME(store)(strip->top + q, NAME(all)(-INFINITY));
        NAME(store)(strip->total + q, (vec){0});
    }
    strip->fresh = 1;
    strip->some_first = strip->all_first = 0;
    strip->some_end = strip->all_end = job->n_k;
    if (!job->first.data) return;
    strip->some_first = job->n_k;
    strip->some_end = 0;
    for (int64_t q = strip->start; q < strip->start + strip->count; q++) {
        int64_t first = *NAME(whole)(place->first, q, job->first.row);
        int64_t end = *NAME(whole)(place->end, q, job->end.row);
        if (first > strip->all_first) strip->all_first = first;
        if (end < strip->all_end) strip->all_end = end;
        if (first >= end) continue; /* reaches nothing */
        if (first < strip->some_first) strip->some_first = first;
        if (end > strip->some_end) strip->some_end = end;
    }
}

/* Fill first and end with the reach of each lane, counted from the key `start`. */
static void NAME(reach)(const Job *job, const Place *place, const Strip *strip, int64_t start,
                        INT *first, INT *end) {
    for (int64_t q = 0; q < strip->width * LANES; q++) {
        first[q] = end[q] = 0;
        if (q >= strip->count) continue;
        int64_t low = *NAME(whole)(place->first, strip->start + q, job->first.row) - start;
        int64_t high = *NAME(whole)(place->end, strip->start + q, job->end.row) - start;
        first[q] = (INT)(low < 0 ? 0 : low > TILE ? TILE : low);
        end[q] = (INT)(high < 0 ? 0 : high > TILE ? TILE : high);
    }
}

/* Whether query q may attend to any key, whatever its score. */
static int NAME(reaches_any)(const Job *job, const Place *place, int64_t q) {
    int64_t first = 0, end = job->n_k;
    if (job->first.data) {
        first = *NAME(whole)(place->first, q, job->first.row);
        end = *NAME(whole)(place->end, q, job->end.row);
    }
    if (job->mask_kind == NO_MASK) return first < end;
    for (const char *at = place->mask + q * job->mask.row; first < end; first++) {
        const char *one = at + first * job->mask.column;
        if (job->mask_kind == BOOLEAN_MASK ? *one : *(const REAL *)one != -INFINITY) return 1;
    }
    return 0;
}

/* Turn an 8 by 8 block of bytes whose rows are `from_row` apart. Zipping row i with row i + 4 moves
 * one bit of the row number to the column number, as in vector.h. */
static inline void NAME(turn_8_bytes)(const char *from, int64_t from_row, unsigned char *to, int64_t to_row) {
    typedef unsigned char pair __attribute__((vector_size(16)));
    typedef uint64_t halves __attribute__((vector_size(16)));
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
    pair row[8], two[4], four[4];
    for (int i = 0; i < 8; i++) {
        uint64_t bytes;
        memcpy(&bytes, from + i * from_row, 8);
        row[i] = (pair)(halves){bytes, 0};
    }
    for (int i = 0; i < 4; i++) two[i] = LOW(row[i], row[i + 4]);
    for (int i = 0; i < 2; i++) {
        four[2 * i] = LOW(two[i], two[i + 2]);
        four[2 * i + 1] = HIGH(two[i], two[i + 2]);
    }
    for (int i = 0; i < 2; i++) {
        halves low = (halves)LOW(four[i], four[i + 2]), high = (halves)HIGH(four[i], four[i + 2]);
        uint64_t turned[] = {low[0], low[1], high[0], high[1]};
        for (int j = 0; j < 4; j++) memcpy(to + (4 * i + j) * to_row, &turned[j], 8);
    }
#undef LOW
#undef HIGH
}

/* Have the part of the mask that a tile needs on its way while the scores are computed. */
static void NAME(fetch_bytes)(const Job *job, const Place *place, const Strip *strip, int64_t start,
                              int64_t keys) {
    if (job->mask.column != 1) return;
    for (int64_t q = 0; q < strip->count; q++) {
        const char *row = place->mask + (strip->start + q) * job->mask.row + start;
        for (int64_t j = 0; j < keys; j += 64) __builtin_prefetch(row + j);
        __builtin_prefetch(row + keys - 1);
    }
}

/* Fill bytes, a row of lanes per key, from the mask, which has a row of keys per query. */
static void NAME(turn_bytes)(const Job *job, const Place *place, const Strip *strip,
                             int64_t start, int64_t keys, unsigned char *bytes) {
    int64_t lanes = strip->width * LANES, row = job->mask.row, column = job->mask.column;
    const char *from = place->mask + strip->start * row + start * column;
    int64_t whole_q = column == 1 ? strip->count & ~7 : 0, whole_k = keys & ~7;
    for (int64_t q = 0; q < whole_q; q += 8)
        for (int64_t j = 0; j < whole_k; j += 8)
            NAME(turn_8_bytes)(from + q * row + j, row, bytes + j * lanes + q, lanes);
    for (int64_t q = 0; q < lanes; q++)
        for (int64_t j = q < whole_q ? whole_k : 0; j < keys; j++)
            bytes[j * lanes + q] = q < strip->count && from[q * row + j * column];
}

/* Fill added, a row of lanes per key, from a mask of floats. */
static void NAME(turn_added)(const Job *job, const Place *place, const Strip *strip,
                             int64_t start, int64_t keys, REAL *added) {
    int64_t lanes = strip->width * LANES;
    for (int64_t q = 0; q < lanes; q++) {
        const char *from = place->mask + (strip->start + q) * job->mask.row
                         + start * job->mask.column;
        for (int64_t j = 0; j < keys; j++)
            added[j * lanes + q] = q < strip->count ? *(const REAL *)(from + j * job->mask.column) : 0;
    }
}

/* Entries from one row of a copy to the next: an odd number of cache lines, so that a column of
 * the values, read from top to bottom, is spread over the whole cache. */
INLINE int64_t NAME(copied_row)(int64_t d) { return ((d * REAL_BYTES + 63) / 64 | 1) * 64 / REAL_BYTES; }

static Source NAME(callers_own)(const Job *job, const Place *place, int64_t start) {
    int64_t key_row = job->key.row / REAL_BYTES, value_row = job->value.row / REAL_BYTES;
    return (Source){(const REAL *)place->key + start * key_row,
                    (const REAL *)place->value + start * value_row, key_row, value_row};
}

static Source NAME(copy)(const Job *job, const Source *from, int64_t keys, REAL *to) {
    int64_t key_row = NAME(copied_row)(job->d_k), value_row = NAME(copied_row)(job->d_v);
    REAL *key = to, *value = to + TILE * key_row;
    for (int64_t j = 0; j < keys; j++) {
        memcpy(key + j * key_row, from->key + j * from->key_row, (size_t)(job->d_k * REAL_BYTES));
        memcpy(value + j * value_row, from->value + j * from->value_row, (size_t)(job->d_v * REAL_BYTES));
    }
    return (Source){key, value, key_row, value_row};
}

/* Fill scores, a row of lanes per key, with those of the keys start <= j < stop, -inf where they may
 * not be attended to, and best with the largest of each lane. `skip` is where the keys are in the tile.
 * They are yet to be multiplied by the scale of the scratch. */
INLINE void NAME(score_tile)(const int width, const Job *job, const Place *place, Scratch *scratch,
                             const Source *source, int64_t skip, const Strip *strip, int64_t start,
                             int64_t stop, REAL *scores, vec *best) {
    int64_t keys = stop - start;
    const REAL *key = source->key + skip * source->key_row;

    if (job->mask_kind == BOOLEAN_MASK) NAME(fetch_bytes)(job, place, strip, start, keys);
    for (int v = 0; v < width; v++) best[v] = NAME(all)(-INFINITY);
    NAME(product)(width, keys, job->d_k, key, source->key_row, 1, strip->query, scores, NULL, best);

    REAL scale = job->scale == 0 ? 1 : (REAL)fabs(job->scale); /* the queries carry its sign */
    if (job->softcap > 0) {
        NAME(cap)(width, keys, scale, (REAL)job->softcap, scores);
        scale = 1;
    }
    if (job->mask_kind == ADDED_MASK) {
        NAME(turn_added)(job, place, strip, start, keys, scratch->added);
        NAME(add)(width, keys, scale, scratch->added, scores);
    } else if (job->mask_kind == BOOLEAN_MASK) {
        NAME(turn_bytes)(job, place, strip, start, keys, scratch->bytes);
        NAME(bar_masked)(width, keys, scratch->bytes, scores, best);
    }
    int at_an_end = start < strip->all_first || stop > strip->all_end;
    if (at_an_end) {
        NAME(reach)(job, place, strip, start, scratch->first, scratch->end);
        NAME(bar_outside)(width, keys, scratch->first, scratch->end, scores);
    }

    if (at_an_end || job->mask_kind == ADDED_MASK || (job->softcap > 0 && job->mask_kind == NO_MASK))
        NAME(find_best)(width, keys, scores, best);
}

/* Take the keys start <= j < stop into the sums of a strip; `skip` is where they are in the tile. */
INLINE void NAME(tile)(const int width, const Job *job, const Place *place, Scratch *scratch,
                       const Source *source, int64_t skip, Strip *strip, int64_t start, int64_t stop,
                       REAL *scores) {
    int64_t keys = stop - start;
    const REAL *value = source->value + skip * source->value_row;
    vec best[WIDTH], shrink[WIDTH];
    NAME(score_tile)(width, job, place, scratch, source, skip, strip, start, stop, scores, best);
    NAME(soften)(width, keys, scratch->unit, best, scores, strip->top, strip->total, shrink);
    NAME(product)(width, job->d_v, keys, value, 1, source->value_row, scores, strip->sums,
                  strip->fresh ? NULL : shrink, NULL);
    strip->fresh = 0;
}

/* Write the weights of a strip: those of each tile, brought to the last top and divided. */
static void NAME(write_weights)(const Job *job, const Place *place, const Scratch *scratch,
                                const Strip *strip) {
    int64_t lanes = strip->width * LANES;
    for (int64_t start = 0; start < job->n_k; start += TILE) {
        int64_t keys = job->n_k - start < TILE ? job->n_k - start : TILE;
        int visited = start + keys > strip->some_first && start < strip->some_end;
        const REAL *tile = scratch->scores + start * lanes;
        REAL factor[STRIP];
        for (int v = 0; visited && v < strip->width; v++) {
            vec last = NAME(load)(strip->top + v * LANES);
            vec total = NAME(load)(strip->total + v * LANES);
            vec then = NAME(load)(scratch->tops + start / TILE * lanes + v * LANES);
            last = NAME(choose)((ivec)(last == -INFINITY), (vec){0}, last);
            total = NAME(choose)((ivec)(total == 0), NAME(all)(1), total);
            NAME(store)(factor + v * LANES, NAME(exp2)(then - last) / total);
        }
        for (int64_t q = 0; q < strip->count; q += LANES) {
            char *to = place->weights + (strip->start + q) * job->weights.row + start * REAL_BYTES;
            int64_t count = strip->count - q < LANES ? strip->count - q : LANES, j = 0;
            if (!visited) {
                for (int64_t i = 0; i < count; i++)
                    memset(to + i * job->weights.row, 0, (size_t)(keys * REAL_BYTES));
                continue;
            }
            vec times = NAME(load)(factor + q);
            for (; j + LANES <= keys; j += LANES) {
                vec block[LANES];
                for (int i = 0; i < LANES; i++)
                    block[i] = NAME(load)(tile + (j + i) * lanes + q) * times;
                NAME(write_turned)(to + j * REAL_BYTES, job->weights.row, count, block);
            }
            for (; j < keys; j++)
                for (int64_t i = 0; i < count; i++)
                    ((REAL *)(to + i * job->weights.row))[j] = tile[j * lanes + q + i] * factor[q + i];
        }
    }
}

/* Write the log of the total of query q, if it is wanted. */
INLINE void NAME(write_lse)(const Job *job, const Place *place, const Scratch *scratch, int64_t q,
                            REAL top, REAL total) {
    if (!place->lse) return;
    double score = (double)top / scratch->unit * scratch->scale;
    double lse = total == 0 ? -INFINITY : score + log((double)total);
    *(REAL *)(place->lse + q * job->lse.row) = (REAL)lse;
}

/* Divide the sums of a strip and write them where the caller wants them. Returns 0, or NaN if
 * infinity or NaN was written (multiplied by 0 they are NaN), or if a query has attended to nothing
 * although it may: then all its scores have become -inf. */
static REAL NAME(write_strip)(const Job *job, const Place *place, const Scratch *scratch,
                              const Strip *strip) {
    int64_t lanes = strip->width * LANES;
    REAL doubt = 0;
    for (int64_t q = 0; q < strip->count; q += LANES) {
        int64_t count = strip->count - q < LANES ? strip->count - q : LANES, c = 0;
        char *to = place->output + (strip->start + q) * job->output.row;
        vec total = NAME(load)(strip->total + q);
        vec divisor = NAME(choose)((ivec)(total == 0), NAME(all)(1), total);
        vec spoiled = NAME(doubt)(NAME(load)(strip->top + q), total);
        for (; c + LANES <= job->d_v; c += LANES) {
            vec block[LANES];
            for (int i = 0; i < LANES; i++) {
                block[i] = NAME(load)(strip->sums + (c + i) * lanes + q) / divisor;
                spoiled += block[i] * 0;
            }
            NAME(write_turned)(to + c * REAL_BYTES, job->output.row, count, block);
        }
        for (; c < job->d_v; c++) {
            vec row = NAME(load)(strip->sums + c * lanes + q) / divisor;
            spoiled += row * 0;
            for (int64_t i = 0; i < count; i++) ((REAL *)(to + i * job->output.row))[c] = row[i];
        }
        for (int64_t i = 0; i < count; i++) {
            doubt += spoiled[i];
            if (total[i] == 0 && NAME(reaches_any)(job, place, strip->start + q + i)) doubt = NAN;
            NAME(write_lse)(job, place, scratch, strip->start + q + i, strip->top[q + i], total[i]);
        }
    }
    return doubt;
}

/* Keep what one part of the keys gave, to be joined with the others. */
static void NAME(keep_strip)(const Job *job, REAL *partial, const Strip *strip) {
    int64_t lanes = strip->width * LANES, size = job->d_v + 2;
    for (int64_t q = 0; q < strip->count; q++) {
        REAL *to = partial + (strip->start + q) * size;
        to[0] = strip->top[q];
        to[1] = strip->total[q];
        for (int64_t c = 0; c < job->d_v; c++) to[2 + c] = strip->sums[c * lanes + q];
    }
}

/* Set up the strips of the block that begins at query `start`. Returns how many. */
static int NAME(cut)(const Job *job, Scratch *scratch, int64_t start) {
    int64_t stop = start + job->block < job->n_q ? start + job->block : job->n_q;
    int count = 0;
    for (int64_t q = start; q < stop; q += STRIP, count++) {
        Strip *strip = &scratch->strips[count];
        strip->start = q;
        strip->count = stop - q < STRIP ? stop - q : STRIP;
        int needed = (int)((strip->count + LANES - 1) / LANES);
        strip->width = needed == 1 ? 1 : needed == 2 ? 2 : WIDTH;
    }
    return count;
}

/* Take the keys first <= j < last into the strips of a block. */
static void NAME(do_block)(const Job *job, const Place *place, Scratch *scratch, int count,
                           int64_t first, int64_t last) {
    for (int i = 0; i < count; i++) NAME(begin)(job, place, &scratch->strips[i]);
    for (int64_t key = first; key < last; key += TILE) {
        int64_t end = key + TILE < last ? key + TILE : last;
        Source source = NAME(callers_own)(job, place, key);
        int copied = !scratch->copy;
        for (int i = 0; i < count; i++) {
            Strip *strip = &scratch->strips[i];
            if (end <= strip->some_first || key >= strip->some_end) continue;
            if (!copied) source = NAME(copy)(job, &source, end - key, scratch->copy), copied = 1;
            int64_t lanes = strip->width * LANES, from = key, to = end;
            REAL *scores = scratch->scores;
            if (place->weights) {
                scores += key * lanes;
            } else {
                /* Keys that no lane reaches would add zeros, which change no bit. */
                if (from < strip->some_first) from = strip->some_first;
                if (to > strip->some_end) to = strip->some_end;
            }
#define TILE_OF(w) NAME(tile)(w, job, place, scratch, &source, from - key, strip, from, to, scores)
            FOR_WIDTH(strip->width, TILE_OF)
#undef TILE_OF
            if (place->weights)
                memcpy(scratch->tops + key / TILE * lanes, strip->top, (size_t)lanes * sizeof(REAL));
        }
    }
    for (int i = 0; i < count; i++) {
        Strip *strip = &scratch->strips[i];
        size_t size = (size_t)(job->d_v * strip->width * LANES) * sizeof(REAL);
        if (strip->fresh) memset(strip->sums, 0, size);
    }
}
