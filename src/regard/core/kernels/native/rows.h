/* A task with few queries: each is a row that runs over the keys, lanes along the width.
 *
 * One query against many keys reads every key and value once and is bound by memory; many tiny
 * problems of a query or two are bound by what is done around the arithmetic. Both are served by
 * a loop without packing. Included after block.h.
 */

#define RUN 192 /* keys at a time */

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
    for (int r = 0; r < count; r++) scores[r] = NAME(sum)(sum[r]);
    for (; i < d; i++)
        for (int r = 0; r < count; r++) scores[r] += query[i] * key[r * row + i];
}

/* sums = sums · shrink + Σ weight[j] · value[j], for `count` vectors of columns. */
INLINE void NAME(weigh)(const int count, int64_t keys, const REAL *weight, const REAL *value,
                        int64_t row, REAL shrink, REAL *sums) {
    vec sum[8];
    for (int i = 0; i < count; i++) sum[i] = NAME(load)(sums + i * LANES) * shrink;
    for (int64_t j = 0; j < keys; j++)
        for (int i = 0; i < count; i++)
            sum[i] += weight[j] * NAME(load)(value + j * row + i * LANES);
    for (int i = 0; i < count; i++) NAME(store)(sums + i * LANES, sum[i]);
}

/* Turn the scores of a run into weights, those of padding up to whole vectors into 0. */
INLINE REAL NAME(soften_run)(int64_t keys, REAL unit, REAL *scores, Row *state) {
    for (int64_t j = keys; j % LANES; j++) scores[j] = -INFINITY;
    vec best = NAME(load)(scores);
    for (int64_t j = LANES; j < keys; j += LANES) best = NAME(larger)(best, NAME(load)(scores + j));
    REAL after = state->top;
    for (int i = 0; i < LANES; i++) after = best[i] > after ? best[i] : after;
    REAL off = after == -INFINITY ? 0 : after;
    vec sum = {0};
    for (int64_t j = 0; j < keys; j += LANES) {
        vec weight = NAME(exp2)((NAME(load)(scores + j) - off) * unit);
        NAME(store)(scores + j, weight);
        sum += weight;
    }
    REAL shrink = NAME(exp2)(NAME(all)((state->top - off) * unit))[0];
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

    int64_t j = 0;
    for (; j + 8 <= keys; j += 8)
        NAME(dot)(8, job->d_k, query, key + j * key_row, key_row, scores + j);
    for (; j + 2 <= keys; j += 2)
        NAME(dot)(2, job->d_k, query, key + j * key_row, key_row, scores + j);
    for (; j < keys; j++)
        NAME(dot)(1, job->d_k, query, key + j * key_row, key_row, scores + j);

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
    int64_t c = 0;
    for (; c + 8 * LANES <= job->d_v; c += 8 * LANES)
        NAME(weigh)(8, keys, scores, value + c, value_row, shrink, state->sums + c);
    for (; c + 2 * LANES <= job->d_v; c += 2 * LANES)
        NAME(weigh)(2, keys, scores, value + c, value_row, shrink, state->sums + c);
    for (; c + LANES <= job->d_v; c += LANES)
        NAME(weigh)(1, keys, scores, value + c, value_row, shrink, state->sums + c);
    for (; c < job->d_v; c++) {
        REAL sum = state->sums[c] * shrink;
        for (j = 0; j < keys; j++) sum += scores[j] * value[j * value_row + c];
        state->sums[c] = sum;
    }
}

/* Divide the sums of query q and write them. Returns 0, or NaN as write_strip does. */
INLINE REAL NAME(write_row)(const Job *job, const Place *place, REAL scale, int64_t q,
                            const Row *state) {
    REAL divisor = state->total == 0 ? 1 : state->total, doubt = state->total * 0;
    REAL *to = (REAL *)(place->output + q * job->output.row);
    for (int64_t c = 0; c < job->d_v; c++) {
        to[c] = state->sums[c] / divisor;
        doubt += to[c] * 0;
    }
    NAME(write_lse)(job, place, scale, q, state->top, state->total);
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
        REAL above = (tops[start / RUN] - last) * scratch->unit;
        REAL factor = NAME(exp2)(NAME(all)(above))[0] / divisor;
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
