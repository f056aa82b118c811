/* A task with few queries: each is a row that runs over the keys, lanes along the width.
 *
 * One query against many keys reads every key and value once and is bound by memory; many tiny
 * problems of a query or two are bound by what is done around the arithmetic. Both are served by
 * a loop without packing. Included after many_queries.h.
 */

#define RUN 192 /* keys at a time */
_Static_assert(KEYS_OF_A_PART % RUN == 0, "parts are cut into whole runs");
_Static_assert(PLAIN_KEYS <= RUN && PLAIN_KEYS % LANES == 0, "plain keys are one run, of whole vectors");

/* The state of one query, and the weights of a run. */
typedef struct {
    REAL top, total;
    REAL *sums; /* d_v */
} NAME(Row);
#define Row NAME(Row)

/* scores[j] = query · key[j] for `count` keys at a time, which share the loads of the query. */
INLINE void NAME(dot)(const int count, int64_t d, const REAL *query, const REAL *key, int64_t row,
                      REAL *scores) {
    vec sum[8];
    for (int r = 0; r < count; r++) sum[r] = (vec){0};
    int64_t i = 0;
    for (; i + LANES <= d; i += LANES) {
        vec q = NAME(load)(query + i);
        for (int r = 0; r < count; r++) sum[r] += q * NAME(load)(key + r * row + i);
    }
    NAME(sum_rows)(count, sum, scores);
    for (; i < d; i++)
        for (int r = 0; r < count; r++) scores[r] += query[i] * key[r * row + i];
}

/* The same for any number of keys. */
APART void NAME(dots)(int64_t keys, int64_t d, const REAL *query, const REAL *key, int64_t row,
                       REAL *scores) {
    int64_t j = 0;
    for (; j + 8 <= keys; j += 8) NAME(dot)(8, d, query, key + j * row, row, scores + j);
    for (; j + 2 <= keys; j += 2) NAME(dot)(2, d, query, key + j * row, row, scores + j);
    for (; j < keys; j++) NAME(dot)(1, d, query, key + j * row, row, scores + j);
}

/* sums = sums · shrink + Σ weight[j] · value[j], for `count` vectors of columns. Where shrink is 0,
 * sums need not be set. */
INLINE void NAME(weigh)(const int count, int64_t keys, const REAL *weight, const REAL *value,
                        int64_t row, REAL shrink, REAL *sums) {
    vec sum[8];
    for (int i = 0; i < count; i++) sum[i] = shrink > 0 ? NAME(load)(sums + i * LANES) * shrink : (vec){0};
    for (int64_t j = 0; j < keys; j++)
        for (int i = 0; i < count; i++)
            sum[i] += weight[j] * NAME(load)(value + j * row + i * LANES);
    for (int i = 0; i < count; i++) NAME(store)(sums + i * LANES, sum[i]);
}

/* The same for any number of columns. */
APART void NAME(weigh_all)(int64_t keys, int64_t columns, const REAL *weight, const REAL *value,
                           int64_t row, REAL shrink, REAL *sums) {
    int64_t c = 0;
    for (; c + 8 * LANES <= columns; c += 8 * LANES)
        NAME(weigh)(8, keys, weight, value + c, row, shrink, sums + c);
    for (; c + 2 * LANES <= columns; c += 2 * LANES)
        NAME(weigh)(2, keys, weight, value + c, row, shrink, sums + c);
    for (; c + LANES <= columns; c += LANES)
        NAME(weigh)(1, keys, weight, value + c, row, shrink, sums + c);
    for (; c < columns; c++) {
        REAL sum = shrink > 0 ? sums[c] * shrink : 0;
        for (int64_t j = 0; j < keys; j++) sum += weight[j] * value[j * row + c];
        sums[c] = sum;
    }
}

/* Turn the scores of a run into weights, those of padding up to whole vectors into 0. */
APART REAL NAME(soften_run)(int64_t keys, REAL unit, REAL *scores, Row *state) {
    for (int64_t j = keys; j % LANES; j++) scores[j] = -INFINITY;
    vec best = NAME(load)(scores);
    for (int64_t j = LANES; j < keys; j += LANES) best = NAME(larger)(best, NAME(load)(scores + j));
    REAL top = NAME(scaled_top)(NAME(all)(NAME(largest)(best)), unit)[0];
    REAL after = top > state->top ? top : state->top, off = after == -INFINITY ? 0 : after;
    vec sum = {0};
    for (int64_t j = 0; j < keys; j += LANES) {
        vec weight = NAME(exp2)(NAME(load)(scores + j) * unit - off);
        NAME(store)(scores + j, weight);
        sum += weight;
    }
    REAL shrink = state->top == -INFINITY ? 0 : NAME(exp2)(NAME(all)(state->top - off))[0];
    state->total = state->total * shrink + NAME(sum)(sum);
    state->top = after;
    return shrink;
}

/* Take the keys start <= j < stop into the state of query q. */
static void NAME(run)(const Job *job, const Place *place, int64_t q, int64_t start, int64_t stop,
                      int64_t first, int64_t end, const Scratch *scratch, Row *state) {
    REAL *scores = scratch->scores;
    int64_t keys = stop - start;
    int64_t key_row = job->key.row / (int64_t)sizeof(REAL);
    int64_t value_row = job->value.row / (int64_t)sizeof(REAL);
    const REAL *query = (const REAL *)(place->query + q * job->query.row);
    const REAL *key = (const REAL *)place->key + start * key_row;
    const REAL *value = (const REAL *)place->value + start * value_row;

    NAME(dots)(keys, job->d_k, query, key, key_row, scores);
    int64_t j;
    const char *mask = place->mask;
    if (mask) mask += q * job->mask.row + start * job->mask.column;
    if (job->softcap > 0) {
        for (j = keys; j % LANES; j++) scores[j] = 0;
        NAME(cap)(1, (keys + LANES - 1) / LANES, (REAL)job->scale, (REAL)job->softcap, scores);
    } else if (job->mask_kind == ADDED_MASK || job->scale <= 0) {
        for (j = 0; j < keys; j++) scores[j] *= (REAL)job->scale;
    }
    if (job->mask_kind == ADDED_MASK) {
        for (j = 0; j < keys; j++) {
            REAL bias = *(const REAL *)(mask + j * job->mask.column);
            scores[j] = bias == -INFINITY ? bias : scores[j] + bias;
        }
    } else if (job->mask_kind == BOOLEAN_MASK) {
        for (j = 0; j < keys; j++)
            if (!mask[j * job->mask.column]) scores[j] = -INFINITY;
    }
    for (j = start; j < first && j < stop; j++) scores[j - start] = -INFINITY;
    for (j = end > start ? end : start; j < stop; j++) scores[j - start] = -INFINITY;

    REAL shrink = NAME(soften_run)(keys, scratch->unit, scores, state);
    NAME(weigh_all)(keys, job->d_v, scores, value, value_row, shrink, state->sums);
}

/* Divide the sums of query q and write them. Returns 0, or NaN as write_strip does. */
INLINE REAL NAME(write_row)(const Job *job, const Place *place, const Scratch *scratch, int64_t q,
                            const Row *state) {
    REAL divisor = state->total == 0 ? 1 : state->total;
    REAL doubt = NAME(doubt)(NAME(all)(state->top), NAME(all)(state->total))[0];
    REAL *to = (REAL *)(place->output + q * job->output.row);
    int64_t c = 0;
    vec spoiled = {0};
    for (; c + LANES <= job->d_v; c += LANES) {
        vec row = NAME(load)(state->sums + c) / divisor;
        spoiled += row * 0;
        NAME(store)(to + c, row);
    }
    for (; c < job->d_v; c++) {
        to[c] = state->sums[c] / divisor;
        doubt += to[c] * 0;
    }
    doubt += NAME(sum)(spoiled);
    if (state->total == 0 && NAME(reaches_any)(job, place, q)) doubt = NAN;
    NAME(write_lse)(job, place, scratch, q, state->top, state->total);
    return doubt;
}

/* Bring the weights of query q, each at the top of its run, to the last top and divide. */
static void NAME(finish_weights)(const Job *job, const Place *place, const Scratch *scratch,
                                 int64_t q, REAL top, REAL total) {
    REAL *weights = (REAL *)(place->weights + q * job->weights.row);
    const REAL *tops = scratch->tops + q * ((job->n_k + RUN - 1) / RUN);
    REAL last = top == -INFINITY ? 0 : top, divisor = total == 0 ? 1 : total;
    for (int64_t start = 0; start < job->n_k; start += RUN) {
        int64_t stop = start + RUN < job->n_k ? start + RUN : job->n_k;
        REAL factor = NAME(exp2)(NAME(all)(tops[start / RUN] - last))[0] / divisor;
        for (int64_t j = start; j < stop; j++) weights[j] *= factor;
    }
}

/* Take the keys first_key <= j < last_key into the state of query q. */
static void NAME(do_row)(const Job *job, const Place *place, Scratch *scratch, int64_t q,
                         int64_t first_key, int64_t last_key, Row *state) {
    int64_t first = 0, end = job->n_k;
    if (job->first.data) {
        first = *NAME(whole)(place->first, q, job->first.row);
        end = *NAME(whole)(place->end, q, job->end.row);
    }
    state->top = -INFINITY;
    state->total = 0;
    memset(state->sums, 0, (size_t)job->d_v * sizeof(REAL));
    for (int64_t key = first_key; key < last_key; key += RUN) {
        int64_t stop = key + RUN < last_key ? key + RUN : last_key;
        int visited = stop > first && key < end;
        if (visited) NAME(run)(job, place, q, key, stop, first, end, scratch, state);
        if (!place->weights) continue;
        REAL *to = (REAL *)(place->weights + q * job->weights.row) + key;
        size_t bytes = (size_t)(stop - key) * sizeof(REAL);
        visited ? memcpy(to, scratch->scores, bytes) : memset(to, 0, bytes);
        scratch->tops[q * ((job->n_k + RUN - 1) / RUN) + key / RUN] = state->top;
    }
}

/* Tasks first <= task < last of a job that is `plain`: each is a problem with one run of keys, none
 * of them barred, and nothing but the output is wanted. The steps are those of do_row and write_row,
 * but each for a group of rows before the next: what a step of one row waits for, others fill. */
static void NAME(do_plain)(Job *job, const Scratch *scratch, int64_t first, int64_t last) {
    enum { GROUP = 8 };
    int64_t key_row = job->key.row / REAL_BYTES, value_row = job->value.row / REAL_BYTES;
    int64_t n_k = job->n_k, d_v = job->d_v, rows = (last - first) * job->n_q;
    REAL *sums = scratch->strips[0].sums;
    for (int64_t start = 0; start < rows; start += GROUP) {
        int count = rows - start < GROUP ? (int)(rows - start) : GROUP;
        REAL weight[GROUP][PLAIN_KEYS];
        Row state[GROUP];
        Place place[GROUP];
        for (int i = 0; i < count; i++) {
            int64_t q = (start + i) % job->n_q;
            place[i] = find_place(job, first + (start + i) / job->n_q);
            for (int64_t j = 0; j < n_k; j++)
                for (int64_t c = 0; c < d_v; c += 64 / REAL_BYTES)
                    __builtin_prefetch((const REAL *)place[i].value + j * value_row + c);
            NAME(dots)(n_k, job->d_k, (const REAL *)(place[i].query + q * job->query.row),
                       (const REAL *)place[i].key, key_row, weight[i]);
        }
        for (int i = 0; i < count; i++) {
            state[i] = (Row){-INFINITY, 0, sums};
            NAME(soften_run)(n_k, scratch->unit, weight[i], &state[i]);
        }
        for (int i = 0; i < count; i++) {
            NAME(weigh_all)(n_k, d_v, weight[i], (const REAL *)place[i].value, value_row, 0, sums);
            REAL doubt = NAME(write_row)(job, &place[i], scratch, (start + i) % job->n_q, &state[i]);
            if (!(doubt == 0)) job->not_finite[first + (start + i) / job->n_q] = 1;
        }
    }
}
