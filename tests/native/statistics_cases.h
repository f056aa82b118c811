/* Statistics of the weights of drawn problems, compared with plain loops; included by test_kernel.c. */

/* One entry of a table of statistics of head h. */
static double stat(const Table *t, int64_t h, int64_t i, int64_t j, int is_double) { return at(t, h, i, j, is_double); }

static int64_t key_at(const Table *t, int64_t h, int64_t i, int64_t j) {
    return *(const int64_t *)(t->data + h * t->outer[0] + i * t->row + j * t->column);
}

/* Compare what is said about one query with its weights. `left` is room for as many numbers. */
static int described(const Job *job, int64_t h, int64_t i, int is_double, const double *weight, double lse, double *left) {
    const Statistics *s = job->statistics;
    double entropy = 0, peak = 0;
    int fine = 1;
    for (int64_t j = 0; j < job->n_k; j++) {
        if (weight[j] > 0) entropy -= weight[j] * log(weight[j]);
        if (weight[j] > peak) peak = weight[j];
        left[j] = weight[j];
    }
    fine &= close_enough("lse", stat(&s->lse, h, i, 0, is_double), lse, is_double);
    fine &= close_enough("entropy", stat(&s->entropy, h, i, 0, is_double), entropy, is_double);
    fine &= close_enough("peak", stat(&s->peak, h, i, 0, is_double), peak, is_double);
    int64_t best = key_at(&s->argmax, h, i, 0);
    fine &= best < 0 ? peak == 0 : close_enough("weight of argmax", weight[best], peak, is_double);
    for (int64_t r = 0; r < s->top && fine; r++) { /* each time the largest of those that are left */
        int64_t key = key_at(&s->top_keys, h, i, r);
        double most = 0, got = stat(&s->top_weights, h, i, r, is_double);
        for (int64_t j = 0; j < job->n_k; j++)
            if (left[j] > most) most = left[j];
        fine &= close_enough("top weight", got, most, is_double);
        fine &= key < 0 ? most == 0 && got == 0 : close_enough("weight of top key", left[key], most, is_double);
        if (key >= 0) left[key] = -1;
    }
    for (int64_t c = 0; c < s->column_count; c++)
        fine &= close_enough("column", stat(&s->column_mass, h, i, c, is_double), weight[s->columns[c]], is_double);
    for (int64_t o = 0; o < s->offset_count; o++) {
        int64_t key = key_at(&s->position, h, i, 0) - s->offsets[o];
        double mass = key >= 0 && key < job->n_k ? weight[key] : 0;
        fine &= close_enough("offset", stat(&s->offset_mass, h, i, o, is_double), mass, is_double);
    }
    return fine;
}

/* Check one head: every query, and what each key receives. */
static int describes(const Job *job, int64_t h, int is_double) {
    double *room = calloc((size_t)job->n_k * 3 + 1, sizeof *room);
    double *weight = room, *left = room + job->n_k, *received = left + job->n_k;
    int fine = 1;
    for (int64_t i = 0; i < job->n_q && fine; i++) {
        double top, total = plain_weights(job, h, i, is_double, weight, &top);
        fine = described(job, h, i, is_double, weight, total > 0 ? top + log(total) : -INFINITY, left);
        for (int64_t j = 0; j < job->n_k; j++) received[j] += weight[j];
    }
    for (int64_t j = 0; job->statistics->received.data && j < job->n_k && fine; j++)
        fine = close_enough("received", stat(&job->statistics->received, h, j, 0, is_double), received[j], is_double);
    free(room);
    return fine;
}

static int one_description(const Kernel *kernel, int is_double, int64_t n_q, int64_t n_k) {
    int64_t size = is_double ? 8 : 4, heads = 1 + (int64_t)draw(3), d_k = (int64_t)draw(40);
    int64_t offsets[3], columns[3];
    Statistics asked = {.top = draw(2) ? 0 : (int64_t)draw(20), .offsets = offsets, .columns = columns,
                        .offset_count = (int64_t)draw(4), .column_count = n_k ? (int64_t)draw(4) : 0};
    Job job = {.outer_axes = 1, .outer = {heads}, .problems = heads, .n_q = n_q, .n_k = n_k, .d_k = d_k,
               .statistics = &asked};
    for (int i = 0; i < 3; i++) {
        offsets[i] = (int64_t)draw(2 * (uint64_t)n_k + 9) - n_k;
        columns[i] = n_k ? (int64_t)draw((uint64_t)n_k) : 0;
    }
    Drawn arrays[5] = {0}, tables[STATISTICS_TABLES] = {0};
    arrays[0] = new_array(heads, n_q, d_k, size, 0);
    arrays[1] = new_array(heads, n_k, d_k, size, (int)draw(2));
    fill(&arrays[0], heads, n_q, d_k, is_double);
    fill(&arrays[1], heads, n_k, d_k, is_double);
    job.query = arrays[0].table, job.key = arrays[1].table, job.value = job.key;
    job.scale = draw(8) ? normal() / 3 : 0;
    job.softcap = draw(3) ? 0 : 1.5;
    draw_rules(&job, arrays + 2, heads, is_double);
    int64_t widths[] = {1, 1, 1, 1, asked.top, asked.top, asked.offset_count, asked.column_count, 1, 1};
    int64_t sizes[] = {size, size, size, 8, size, 8, size, size, size, 8};
    for (int t = 0; t < STATISTICS_TABLES; t++) {
        if (t == 8 && draw(2)) continue; /* received is not wanted */
        tables[t] = new_array(heads, t == 8 ? n_k : n_q, widths[t], sizes[t], 0);
        ((Table *)&asked)[t] = tables[t].table;
    }
    for (int64_t h = 0, shift = 0; h < heads; h++, shift += 5)
        for (int64_t i = 0; i < n_q; i++)
            *(int64_t *)(asked.position.data + h * asked.position.outer[0] + i * asked.position.row) = i + shift;
    int fine = cut_statistics(&job, is_double) == 0;
    job.copies = (int)draw(2); /* whatever pays */
    while (fine && kernel->measure[is_double](&job, 1e-9) > 0) continue;
    job.next = 0;
    while (fine && asked.received.data && kernel->receive[is_double](&job, 1e-9) > 0) continue;
    for (int64_t h = 0; h < heads && fine; h++) fine = describes(&job, h, is_double);
    if (!fine)
        printf("%s %s statistics: n_q %ld n_k %ld d_k %ld top %ld mask %d\n", kernel->name,
               is_double ? "double" : "float", (long)n_q, (long)n_k, (long)d_k, (long)asked.top, job.mask_kind);
    for (int i = 0; i < 5; i++) free(arrays[i].memory);
    for (int t = 0; t < STATISTICS_TABLES; t++) free(tables[t].memory);
    free(asked.rows);
    free_tasks(&job);
    return fine;
}
