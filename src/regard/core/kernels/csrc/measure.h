/* What a thread does for statistics: first block by block of queries, then, where it is wanted how much
 * weight each key receives, run by run of keys.
 *
 * The second pass needs best and total of every query, which the first one leaves in `rows`. It computes
 * the scores once more, to the same bits. Each run of keys meets all queries in their order and in one
 * task, so the sums do not depend on the number of threads, and nothing is kept per pair or per block.
 *
 * Included after statistics.h and work.h, once for each REAL and each instruction set.
 */

#define RECEIVING_TILES 4 /* tiles of keys that a task of the second pass takes */

/* Scratch, with tallies for the strips of a block, in one piece. */
static Scratch *NAME(new_tallies)(const Job *job, Tally tallies[STRIPS]) {
    int64_t strips = (job->block + STRIP - 1) / STRIP, top = job->statistics->top;
    Scratch *scratch = NAME(new_scratch)(job);
    int64_t row = NAME(round_up)(STRIP * REAL_BYTES), row_of_keys = NAME(round_up)(STRIP * 8);
    int64_t size = 2 * row + 2 * row_of_keys + top * (row + row_of_keys);
    char *at = scratch ? aligned_alloc(64, (size_t)(strips * size)) : NULL;
    if (!at) {
        free(scratch);
        return NULL;
    }
    for (int64_t i = 0; i < strips; i++, at += size)
        tallies[i] = (Tally){.fall = (REAL *)at,
                             .floor = (REAL *)(at + row),
                             .argmax = (int64_t *)(at + 2 * row),
                             .found = (int64_t *)(at + 2 * row + row_of_keys),
                             .score = (REAL *)(at + 2 * row + 2 * row_of_keys),
                             .key = (int64_t *)(at + 2 * row + 2 * row_of_keys + top * row)};
    return scratch;
}

static void NAME(begin_tally)(const Job *job, const Found *at, const Strip *strip, Tally *tally) {
    const Statistics *asked = job->statistics;
    for (int64_t q = 0; q < strip->width * LANES; q++) {
        tally->fall[q] = 0;
        tally->floor[q] = -INFINITY;
        tally->argmax[q] = -1;
        tally->found[q] = 0;
    }
    for (int64_t row = strip->start; row < strip->start + strip->count; row++) {
        for (int64_t c = 0; c < asked->column_count; c++)
            *NAME(number)(at->column_mass, &asked->column_mass, row, c) = -INFINITY;
        for (int64_t o = 0; o < asked->offset_count; o++)
            *NAME(number)(at->offset_mass, &asked->offset_mass, row, o) = -INFINITY;
    }
}

/* Take the keys from <= j < to, of the tile that begins at `key`, into a strip and its tally. */
INLINE void NAME(tally_tile)(const int width, const Job *job, const Place *place, const Found *at, Scratch *scratch,
                             const Source *source, Strip *strip, Tally *tally, int64_t key, int64_t from, int64_t to) {
    vec best[WIDTH];
    REAL *scores = scratch->scores;
    NAME(score_tile)(width, job, place, scratch, source, from - key, strip, from, to, scores, best);
    NAME(keep_asked)(job, strip, at, from, to, scores);
    if (job->statistics->top)
        NAME(take_largest)(width, to - from, from, job->statistics->top, strip->count, best, scores, tally);
    NAME(find_argmax)(width, to - from, from, best, strip, scores, tally->argmax);
    NAME(take_rest)(width, to - from, scratch->unit, best, scores, strip, tally->fall);
}

/* The first pass over one block of queries. */
static void NAME(tally_block)(const Job *job, Scratch *scratch, Tally *tallies, int64_t problem, int64_t block) {
    Place place = find_place(job, problem);
    Found at = find_statistics(job, problem);
    int count = NAME(cut)(job, scratch, block * job->block);
    for (int i = 0; i < count; i++) {
        NAME(begin)(job, &place, &scratch->strips[i]);
        NAME(begin_tally)(job, &at, &scratch->strips[i], &tallies[i]);
    }
    for (int64_t key = 0; key < job->n_k; key += TILE) {
        int64_t end = key + TILE < job->n_k ? key + TILE : job->n_k;
        Source source = NAME(callers_own)(job, &place, key);
        int copied = !scratch->copy;
        for (int i = 0; i < count; i++) {
            Strip *strip = &scratch->strips[i];
            if (end <= strip->some_first || key >= strip->some_end) continue;
            if (!copied) source = NAME(copy)(job, &source, end - key, scratch->copy), copied = 1;
            int64_t from = key < strip->some_first ? strip->some_first : key;
            int64_t to = end > strip->some_end ? strip->some_end : end;
#define TALLY_OF(w) NAME(tally_tile)(w, job, &place, &at, scratch, &source, strip, &tallies[i], key, from, to)
            FOR_WIDTH(strip->width, TALLY_OF)
#undef TALLY_OF
        }
    }
    for (int i = 0; i < count; i++)
        NAME(write_tally)(job, &place, &at, scratch, &scratch->strips[i], &tallies[i], problem);
}

/* Take tasks of the first pass for about `seconds`. Returns what `work` does. */
static int NAME(measure)(Job *job, double seconds) {
    Tally tallies[STRIPS];
    Scratch *scratch = NAME(new_tallies)(job, tallies);
    if (!scratch) return -1;
    int64_t tasks = job->problems * job->blocks, first;
    double deadline = now() + seconds;
    while ((first = atomic_fetch_add(&job->next, job->at_once)) < tasks) {
        int64_t last = first + job->at_once < tasks ? first + job->at_once : tasks;
        for (int64_t task = first; task < last; task++) /* the last block first, as in `work` */
            NAME(tally_block)(job, scratch, tallies, task / job->blocks, job->blocks - 1 - task % job->blocks);
        if (now() > deadline) break;
    }
    free(tallies[0].fall);
    free(scratch);
    return first < tasks;
}

/* Add the weights of a tile, a row of lanes per key, to what its keys receive, a vector per key. */
INLINE void NAME(receive_tile)(const int width, int64_t keys, REAL unit, int64_t count, const REAL *scores,
                               const REAL *best, const REAL *share, REAL *received) {
    vec off[WIDTH], times[WIDTH];
    ivec there[WIDTH]; /* lanes from count on may hold NaN, of keys that are NaN */
    for (int v = 0; v < width; v++) {
        off[v] = NAME(load)(best + v * LANES);
        times[v] = NAME(load)(share + v * LANES);
        INT lane[LANES];
        for (int i = 0; i < LANES; i++) lane[i] = v * LANES + i < count ? -1 : 0;
        memcpy(&there[v], lane, sizeof lane);
    }
    for (int64_t j = 0; j < keys; j++) {
        vec sum = NAME(load)(received + j * LANES);
        for (int v = 0; v < width; v++) {
            vec weight = NAME(exp2)((NAME(load)(scores + (j * width + v) * LANES) - off[v]) * unit) * times[v];
            sum += (vec)((ivec)weight & there[v]);
        }
        NAME(store)(received + j * LANES, sum);
    }
}

/* The second pass over one run of keys. `sums` has LANES numbers for each of them. */
static void NAME(receive_run)(const Job *job, Scratch *scratch, int64_t problem, int64_t first, int64_t last,
                              REAL *sums) {
    const Statistics *asked = job->statistics;
    Place place = find_place(job, problem);
    Found at = find_statistics(job, problem);
    const REAL *rows = (const REAL *)asked->rows + problem * job->n_q * 2;
    memset(sums, 0, (size_t)((last - first) * LANES * REAL_BYTES));
    for (int64_t start = 0; start < job->n_q; start += job->block) {
        int count = NAME(cut)(job, scratch, start);
        for (int i = 0; i < count; i++) {
            Strip *strip = &scratch->strips[i];
            NAME(begin)(job, &place, strip);
            for (int64_t q = 0; q < strip->width * LANES; q++) { /* top and total become best and 1 / total */
                strip->top[q] = q < strip->count ? rows[2 * (strip->start + q)] : 0;
                strip->total[q] = q < strip->count ? rows[2 * (strip->start + q) + 1] : 0;
            }
            for (int64_t key = first; key < last; key += TILE) {
                int64_t from = key, to = key + TILE < last ? key + TILE : last;
                if (from < strip->some_first) from = strip->some_first;
                if (to > strip->some_end) to = strip->some_end;
                if (from >= to) continue;
                Source source = NAME(callers_own)(job, &place, key);
                REAL *received = sums + (from - first) * LANES;
#define RECEIVE(w) do { \
    vec best[WIDTH]; \
    NAME(score_tile)(w, job, &place, scratch, &source, from - key, strip, from, to, scratch->scores, best); \
    NAME(receive_tile)(w, to - from, scratch->unit, strip->count, scratch->scores, strip->top, strip->total, received); \
} while (0)
                FOR_WIDTH(strip->width, RECEIVE)
#undef RECEIVE
            }
        }
    }
    for (int64_t j = first; j < last; j++)
        *(REAL *)(at.received + j * asked->received.row) = NAME(sum)(NAME(load)(sums + (j - first) * LANES));
}

/* Take tasks of the second pass for about `seconds`. Returns what `work` does. */
static int NAME(receive)(Job *job, double seconds) {
    int64_t run = RECEIVING_TILES * TILE, runs = (job->n_k + run - 1) / run;
    Scratch *scratch = NAME(new_scratch)(job);
    REAL *sums = scratch ? aligned_alloc(64, (size_t)NAME(round_up)(run * LANES * REAL_BYTES)) : NULL;
    if (!sums) {
        free(scratch);
        return -1;
    }
    int64_t tasks = job->problems * runs, task;
    double deadline = now() + seconds;
    while ((task = atomic_fetch_add(&job->next, 1)) < tasks) {
        int64_t first = task % runs * run, last = first + run < job->n_k ? first + run : job->n_k;
        NAME(receive_run)(job, scratch, task / runs, first, last, sums);
        if (now() > deadline) break;
    }
    free(sums);
    free(scratch);
    return task < tasks;
}
