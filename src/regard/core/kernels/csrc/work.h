/* What a thread does: take tasks, compute them, join the parts of a block when all are there.
 *
 * Included after few_queries.h, once for each REAL and each instruction set.
 */

static int64_t NAME(round_up)(int64_t bytes) { return (bytes + 63) & ~(int64_t)63; }

/* Allocate scratch for one thread in one piece, or return NULL. */
static Scratch *NAME(new_scratch)(const Job *job) {
    int with_weights = job->weights.data != NULL;
    int64_t strips = (job->block + STRIP - 1) / STRIP;
    int64_t keys = with_weights ? job->n_k + TILE : (RUN > TILE ? RUN : TILE);
    int64_t runs = with_weights ? job->n_k / TILE + 2 : 1;
    int64_t real = (int64_t)sizeof(REAL), head = NAME(round_up)(sizeof(Scratch));
    int64_t query = NAME(round_up)(job->d_k * STRIP * real);
    int64_t sums = NAME(round_up)((job->d_v + LANES) * STRIP * real);
    int64_t row = NAME(round_up)(STRIP * real);
    int64_t scores = NAME(round_up)(keys * STRIP * real), tops = NAME(round_up)(runs * STRIP * real);
    int64_t copy = job->copies ? TILE * (NAME(copied_row)(job->d_k) + NAME(copied_row)(job->d_v)) * real : 0;
    char *memory = aligned_alloc(64, (size_t)(head + strips * (query + sums + 2 * row) + scores + tops + copy));
    if (!memory) return NULL;
    Scratch *scratch = (Scratch *)memory;
    char *at = memory + head;
    for (int64_t i = 0; i < strips; i++) {
        Strip *strip = &scratch->strips[i];
        strip->query = (REAL *)at, at += query;
        strip->sums = (REAL *)at, at += sums;
        strip->top = (REAL *)at, at += row;
        strip->total = (REAL *)at, at += row;
    }
    scratch->scores = (REAL *)at, at += scores;
    scratch->tops = (REAL *)at, at += tops;
    scratch->copy = copy ? (REAL *)at : NULL;
    /* The scale waits for the exponent, unless the scores are needed for something before. */
    int scaled = job->softcap > 0 || job->mask_kind == ADDED_MASK || job->scale == 0;
    scratch->scale = scaled || (job->few && job->scale < 0) ? 1 : (REAL)fabs(job->scale);
    scratch->unit = scratch->scale * (REAL)LOG2E;
    scratch->factor = scaled ? 1 : fabs(job->scale);
    return scratch;
}

/* Join what the parts of the keys gave for query q into `state`, in the order of the parts. */
static void NAME(join)(const Job *job, const REAL *partial, int64_t q, Row *state) {
    int64_t size = job->d_v + 2;
    state->top = -INFINITY;
    for (int64_t p = 0; p < job->parts; p++) {
        REAL top = partial[(p * job->n_q + q) * size];
        if (top > state->top) state->top = top;
    }
    REAL off = state->top == -INFINITY ? 0 : state->top;
    state->total = 0;
    memset(state->sums, 0, (size_t)job->d_v * sizeof(REAL));
    for (int64_t p = 0; p < job->parts; p++) {
        const REAL *from = partial + (p * job->n_q + q) * size;
        REAL factor = NAME(exp2)(NAME(all)(from[0] - off))[0];
        state->total += from[1] * factor;
        for (int64_t c = 0; c < job->d_v; c++) state->sums[c] += from[2 + c] * factor;
    }
}

/* Write the results of a block whose parts are all there. */
static REAL NAME(finish)(const Job *job, const Place *place, Scratch *scratch, int few, int count,
                         int64_t start, const REAL *partial) {
    int64_t stop = start + job->block < job->n_q ? start + job->block : job->n_q;
    Row state = {0, 0, scratch->strips[0].sums}; /* free by now: what was in it is kept */
    REAL doubt = 0;
    for (int64_t q = start; q < stop; q++) {
        NAME(join)(job, partial, q, &state);
        doubt += NAME(write_row)(job, place, scratch, q, &state);
        if (!place->weights) continue;
        if (few) {
            NAME(finish_weights)(job, place, scratch, q, state.top, state.total);
        } else {
            Strip *strip = &scratch->strips[(q - start) / STRIP];
            strip->top[q - strip->start] = state.top;
            strip->total[q - strip->start] = state.total;
        }
    }
    for (int i = 0; place->weights && !few && i < count; i++)
        NAME(write_weights)(job, place, scratch, &scratch->strips[i]);
    return doubt;
}

/* Compute one block of queries against one part of the keys, or against all parts in turn. */
static void NAME(do_task)(Job *job, Scratch *scratch, int64_t problem, int64_t block,
                          int64_t first_part, int64_t last_part) {
    Place place = find_place(job, problem);
    int few = job->few;
    int64_t start = block * job->block, size = job->d_v + 2;
    REAL *partial = job->parts == 1 ? NULL
                  : (REAL *)job->partial + problem * job->parts * job->n_q * size;
    int count = few ? 0 : NAME(cut)(job, scratch, start);
    REAL doubt = 0;
    for (int64_t part = first_part; part < last_part; part++) {
        int64_t first = part * job->part;
        int64_t last = first + job->part < job->n_k ? first + job->part : job->n_k;
        REAL *keep = partial ? partial + part * job->n_q * size : NULL;
        if (!few) {
            NAME(do_block)(job, &place, scratch, count, first, last);
            for (int i = 0; i < count; i++) {
                if (keep) NAME(keep_strip)(job, keep, &scratch->strips[i]);
                else doubt += NAME(write_strip)(job, &place, scratch, &scratch->strips[i]);
                if (!keep && place.weights)
                    NAME(write_weights)(job, &place, scratch, &scratch->strips[i]);
            }
            continue;
        }
        for (int64_t q = 0; q < job->n_q; q++) {
            Row state = {0, 0, keep ? keep + q * size + 2 : scratch->strips[0].sums};
            NAME(do_row)(job, &place, scratch, q, first, last, &state);
            if (keep) {
                keep[q * size] = state.top;
                keep[q * size + 1] = state.total;
                continue;
            }
            doubt += NAME(write_row)(job, &place, scratch, q, &state);
            if (place.weights)
                NAME(finish_weights)(job, &place, scratch, q, state.top, state.total);
        }
    }
    if (partial) {
        int64_t left = last_part - first_part;
        if (atomic_fetch_sub(&job->parts_left[problem * job->blocks + block], left) != left) return;
        doubt = NAME(finish)(job, &place, scratch, few, count, start, partial);
    }
    if (!(doubt == 0)) job->not_finite[problem * job->blocks + block] = 1;
}

/* Take tasks for about `seconds`. Returns 1 if some are left, 0 if not, -1 without memory. */
static int NAME(work)(Job *job, double seconds) {
    Scratch *scratch = NAME(new_scratch)(job);
    if (!scratch) return -1;
    /* Weights need the tops of all parts in one place, so one task does them all. */
    int64_t parts = job->weights.data ? 1 : job->parts;
    int64_t tasks = job->problems * job->blocks * parts;
    double deadline = now() + seconds;
    int64_t first;
    while ((first = atomic_fetch_add(&job->next, job->at_once)) < tasks) {
        int64_t last = first + job->at_once < tasks ? first + job->at_once : tasks;
        if (job->plain) NAME(do_plain)(job, scratch, first, last);
        for (int64_t task = job->plain ? last : first; task < last; task++) {
            if (tasks == job->problems && job->parts == 1) {
                NAME(do_task)(job, scratch, task, 0, 0, 1); /* without any division */
                continue;
            }
            /* The last block first: where order matters it reaches most keys, and short tasks
             * at the end keep threads from waiting for each other. */
            int64_t part = task % parts, block = job->blocks - 1 - task / parts % job->blocks;
            NAME(do_task)(job, scratch, task / parts / job->blocks, block,
                          parts == 1 ? 0 : part, parts == 1 ? job->parts : part + 1);
        }
        if (now() > deadline) break;
    }
    free(scratch);
    return first < tasks;
}
