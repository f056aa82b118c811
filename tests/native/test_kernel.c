/* Compare every kernel that runs here with plain loops, on drawn problems of every kind.
 *
 * `make check` builds this with AddressSanitizer and UndefinedBehaviorSanitizer. Arrays are
 * allocated to the byte, so a read or write past an end is caught.
 */

#include <stdio.h>

#define TEST_WIDE
#include "../../src/regard/core/kernels/csrc/kernels.h"

static uint64_t state = 0x9E3779B97F4A7C15;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static double normal(void) { /* near enough: a sum of uniform numbers */
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += (double)draw(1 << 20) / (1 << 20);
    return sum - 6;
}

/* A drawn array (heads, rows, columns): rows farther apart than they are long, heads maybe one. */
typedef struct {
    void *memory;
    Table table;
} Drawn;

static double get(const char *p, int is_double) {
    return is_double ? *(const double *)p : *(const float *)p;
}

static double at(const Table *t, int64_t h, int64_t i, int64_t j, int is_double) {
    return get(t->data + h * t->outer[0] + i * t->row + j * t->column, is_double);
}

static Drawn new_array(int64_t heads, int64_t rows, int64_t columns, int64_t size, int shared) {
    int64_t apart = (columns + (int64_t)draw(3)) * size;
    Drawn drawn = {0};
    int64_t per_head = rows ? (rows - 1) * apart + columns * size : 0;
    int64_t bytes = per_head * (shared ? 1 : heads);
    drawn.memory = malloc((size_t)(bytes ? bytes : 1));
    drawn.table = (Table){.data = drawn.memory, .outer = {shared ? 0 : per_head}, .row = apart, .column = size};
    return drawn;
}

static void fill(Drawn *drawn, int64_t heads, int64_t rows, int64_t columns, int is_double) {
    const Table *t = &drawn->table;
    for (int64_t h = 0; h < (t->outer[0] ? heads : 1); h++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                char *p = t->data + h * t->outer[0] + i * t->row + j * t->column;
                double x = normal();
                if (is_double) *(double *)p = x;
                else *(float *)p = (float)x;
            }
}

static double worst[2];

static int close_enough(const char *what, double got, double expected, int is_double) {
    double tolerance = is_double ? 1e-12 : 1e-4;
    if (isinf(expected) ? got == expected : fabs(got - expected) <= tolerance * (1 + fabs(expected))) {
        if (!isinf(expected) && fabs(got - expected) > worst[is_double])
            worst[is_double] = fabs(got - expected);
        return 1;
    }
    printf("%s is %.17g, expected %.17g\n", what, got, expected);
    return 0;
}

/* Fill the weights of one query by loops in double. Returns the total, 0 if nothing is attended to. */
static double plain_weights(const Job *job, int64_t h, int64_t i, int is_double, double *weight, double *top) {
    double total = 0;
    *top = -INFINITY;
    for (int64_t j = 0; j < job->n_k; j++) {
        double s = 0;
        for (int64_t d = 0; d < job->d_k; d++)
            s += at(&job->query, h, i, d, is_double) * at(&job->key, h, j, d, is_double);
        s *= job->scale;
        if (job->softcap > 0) s = job->softcap * tanh(s / job->softcap);
        if (job->mask_kind == ADDED_MASK) s += at(&job->mask, h, i, j, is_double);
        if (job->mask_kind == BOOLEAN_MASK &&
            !job->mask.data[h * job->mask.outer[0] + i * job->mask.row + j * job->mask.column])
            s = -INFINITY;
        if (job->first.data) {
            int64_t first = *(int64_t *)(job->first.data + h * job->first.outer[0] + i * job->first.row);
            int64_t end = *(int64_t *)(job->end.data + h * job->end.outer[0] + i * job->end.row);
            if (j < first || j >= end) s = -INFINITY;
        }
        weight[j] = s;
        if (s > *top) *top = s;
    }
    for (int64_t j = 0; j < job->n_k; j++) {
        weight[j] = weight[j] == -INFINITY ? 0 : exp(weight[j] - *top);
        total += weight[j];
    }
    for (int64_t j = 0; j < job->n_k; j++) weight[j] /= total > 0 ? total : 1;
    return total;
}

/* Check one head against loops in double. */
static int agrees(const Job *job, int64_t h, int is_double) {
    double *weight = malloc(((size_t)job->n_k + 1) * sizeof(double));
    int fine = 1;
    for (int64_t i = 0; i < job->n_q && fine; i++) {
        double top, total = plain_weights(job, h, i, is_double, weight, &top);
        for (int64_t c = 0; c < job->d_v && fine; c++) {
            double sum = 0;
            for (int64_t j = 0; j < job->n_k; j++) sum += weight[j] * at(&job->value, h, j, c, is_double);
            fine &= close_enough("output", at(&job->output, h, i, c, is_double), sum, is_double);
        }
        if (job->lse.data) {
            double lse = total > 0 ? top + log(total) : -INFINITY;
            const char *p = job->lse.data + h * job->lse.outer[0] + i * job->lse.row;
            fine &= close_enough("lse", get(p, is_double), lse, is_double);
        }
        for (int64_t j = 0; job->weights.data && j < job->n_k && fine; j++)
            fine &= close_enough("weight", at(&job->weights, h, i, j, is_double), weight[j], is_double);
    }
    free(weight);
    return fine;
}

/* Draw a mask and a reach, or not; the three arrays are to be freed. */
static void draw_rules(Job *job, Drawn *arrays, int64_t heads, int is_double) {
    int64_t size = is_double ? 8 : 4, n_q = job->n_q, n_k = job->n_k;
    job->mask_kind = (enum mask_kind)draw(3);
    if (job->mask_kind == BOOLEAN_MASK) {
        arrays[0] = new_array(heads, n_q, n_k, 1, (int)draw(2));
        job->mask = arrays[0].table;
        int64_t some_heads = job->mask.outer[0] ? heads : 1;
        for (int64_t h = 0; h < some_heads; h++)
            for (int64_t i = 0; i < n_q; i++)
                for (int64_t j = 0; j < n_k; j++)
                    job->mask.data[h * job->mask.outer[0] + i * job->mask.row + j] = draw(4) > 0;
        if (!draw(3)) job->mask.row = 0; /* the same keys for every query */
    } else if (job->mask_kind == ADDED_MASK) {
        arrays[0] = new_array(heads, n_q, n_k, size, 0);
        fill(&arrays[0], heads, n_q, n_k, is_double);
        job->mask = arrays[0].table;
        if (!draw(3)) job->mask.column = 0; /* the same for every key */
    }
    if (draw(2)) return;
    arrays[1] = new_array(heads, n_q, 1, 8, 0);
    arrays[2] = new_array(heads, n_q, 1, 8, 0);
    job->first = arrays[1].table, job->end = arrays[2].table;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < n_q; i++) {
            int64_t *first = (int64_t *)(job->first.data + h * job->first.outer[0] + i * job->first.row);
            int64_t *end = (int64_t *)(job->end.data + h * job->end.outer[0] + i * job->end.row);
            *first = draw(2) ? 0 : (int64_t)draw((uint64_t)n_k + 1);
            *end = draw(2) ? n_k : (int64_t)draw((uint64_t)n_k + 1);
        }
}

/* A plain one has nothing but queries, keys and values. */
static int one_problem(const Kernel *kernel, int is_double, int64_t n_q, int64_t n_k, int plain) {
    int64_t size = is_double ? 8 : 4, heads = 1 + (int64_t)draw(3);
    int64_t d_k = (int64_t)draw(40), d_v = (int64_t)draw(40);
    if (!draw(4)) d_k = 1 + (int64_t)draw(2), d_v = 100 + (int64_t)draw(100); /* far apart */
    Job job = {.outer_axes = 1, .outer = {heads}, .problems = heads, .n_q = n_q, .n_k = n_k, .d_k = d_k, .d_v = d_v};
    Drawn arrays[9] = {0};
    arrays[0] = new_array(heads, n_q, d_k, size, 0);
    arrays[1] = new_array(heads, n_k, d_k, size, (int)draw(2)); /* one key head may serve all */
    arrays[2] = new_array(heads, n_k, d_v, size, (int)draw(2));
    fill(&arrays[0], heads, n_q, d_k, is_double);
    fill(&arrays[1], heads, n_k, d_k, is_double);
    fill(&arrays[2], heads, n_k, d_v, is_double);
    arrays[3] = new_array(heads, n_q, d_v, size, 0);
    job.query = arrays[0].table, job.key = arrays[1].table, job.value = arrays[2].table;
    job.output = arrays[3].table;
    job.scale = plain ? 0.3 : draw(8) ? normal() / 3 : 0;
    job.softcap = plain || draw(3) ? 0 : 1.5;
    if (!plain && draw(2)) {
        arrays[4] = new_array(heads, n_q, 1, size, 0);
        job.lse = arrays[4].table;
    }
    if (!plain && draw(2)) {
        arrays[5] = new_array(heads, n_q, n_k, size, 0);
        job.weights = arrays[5].table;
    }
    if (!plain) draw_rules(&job, arrays + 6, heads, is_double);
    int fine = cut_into_tasks(&job, kernel, is_double) == 0;
    job.copies = !job.few && draw(2); /* whatever pays */
    while (fine && kernel->work[is_double](&job, 1e-9) > 0) continue; /* one ticket at a time */
    for (int64_t h = 0; h < heads && fine; h++) fine = agrees(&job, h, is_double);
    for (int64_t i = 0; i < job.problems * job.blocks && fine; i++) fine = !job.not_finite[i];
    if (!fine)
        printf("%s %s: n_q %ld n_k %ld d_k %ld d_v %ld mask %d\n", kernel->name,
               is_double ? "double" : "float", (long)n_q, (long)n_k, (long)d_k, (long)d_v, job.mask_kind);
    for (int i = 0; i < 9; i++) free(arrays[i].memory);
    free_tasks(&job);
    return fine;
}

#include "statistics_cases.h"

static double *drawn_numbers(int64_t count) {
    double *x = malloc((size_t)count * sizeof *x + 1);
    for (int64_t i = 0; i < count; i++) x[i] = normal();
    return x;
}

static Drawn drawn_values(int64_t rows, int64_t columns, int is_double) {
    Drawn drawn = new_array(1, rows, columns, is_double ? 8 : 4, 0);
    fill(&drawn, 1, rows, columns, is_double);
    return drawn;
}

/* Sums are double, and floats of the output are rounded once. */
static int rounded_once(double got, double expected, int is_double) {
    double rounding = is_double ? 0 : ldexp(fabs(expected), -24);
    return fabs(got - expected) <= 1e-12 * (1 + fabs(expected)) + rounding;
}

/* Two rows at a time, but for the first, fill a tile to its last row, after which nothing may be written. */
static int one_full_tile(const Kernel *kernel, int is_double) {
    int64_t columns = 4 * kernel->lanes[1], n = 8192 / columns + 2, shift = 1, size = is_double ? 8 : 4;
    double weight = 1, *factor = malloc((size_t)n * sizeof *factor);
    char *value = malloc((size_t)(n * columns * size)), *output = malloc((size_t)(n * columns * size));
    Drawn drawn = {value, {.data = value, .row = columns * size, .column = size}};
    fill(&drawn, 1, n, columns, is_double);
    for (int64_t t = 0; t < n; t++) factor[t] = 1;
    Taps taps = {&shift, &weight, 1, factor, 0, n, n, columns, columns * size, columns * size, !is_double};
    kernel->taps(&taps, value, output);
    int fine = !memcmp(output + columns * size, value, (size_t)((n - 1) * columns * size));
    if (!fine) printf("%s taps: a full tile\n", kernel->name);
    free(value), free(output), free(factor);
    return fine;
}

/* Some rows of a positional head, as sums over drawn shifts: alone, close together, in long runs. */
static int one_positional_head(const Kernel *kernel, int64_t n, int64_t columns, int is_double) {
    int64_t *shift = malloc((size_t)(2 * n) * sizeof *shift);
    int64_t first = (int64_t)draw((uint64_t)n), rows = (int64_t)draw((uint64_t)(n - first) + 1), count = 0;
    uint64_t apart = 1 + draw(12);
    for (int64_t s = 1 - n + (int64_t)draw(3); s < n; s += draw(3) ? 1 : 1 + (int64_t)draw(apart)) shift[count++] = s;
    shift = realloc(shift, (size_t)count * sizeof *shift + 1);
    double *weight = drawn_numbers(count), *factor = drawn_numbers(rows);
    Drawn value = drawn_values(n, columns, is_double), output = drawn_values(rows, columns, is_double);
    Taps taps = {shift, weight, count, factor, first, rows, n, columns, value.table.row, output.table.row, !is_double};
    kernel->taps(&taps, value.memory, output.memory);
    int fine = 1;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns && fine; c++) {
            double sum = 0;
            for (int64_t j = 0; j < count; j++) {
                int64_t key = first + r - shift[j];
                if (key >= 0 && key < n) sum += weight[j] * at(&value.table, 0, key, c, is_double);
            }
            fine = rounded_once(at(&output.table, 0, r, c, is_double), factor[r] * sum, is_double);
        }
    if (!fine)
        printf("%s taps: n %ld columns %ld first %ld rows %ld\n", kernel->name, (long)n, (long)columns,
               (long)first, (long)rows);
    free(shift), free(weight), free(factor), free(value.memory), free(output.memory);
    return fine;
}

/* The frequency of each result of a transform of n numbers, found digit by digit. */
static int64_t frequency(int64_t place, int64_t n) {
    int64_t size = n % 4 ? n : 4;
    return size == n ? place : place / (n / size) + size * frequency(place % (n / size), n / size);
}

static void set_root(double *to, int64_t turns, int64_t n) {
    long double angle = -2 * acosl(-1) * (long double)(turns % n) / (long double)n;
    to[0] = (double)cosl(angle), to[1] = (double)sinl(angle);
}

static double *new_roots(int64_t n) {
    double *roots = malloc((size_t)bytes_of_roots(n) + 1), *at = roots;
    for (int64_t m = n; m % 4 == 0; m /= 4)
        for (int64_t j = 0; j < m / 4; j++)
            for (int64_t k = 1; k < 4; k++, at += 2) set_root(at, j * k, m);
    return roots;
}

/* Some columns of values convolved with weights, compared with sums around the circle. */
static int one_convolution(const Kernel *kernel, int is_double) {
    int64_t n1 = 1 + (int64_t)draw(3), n2 = 1 + (int64_t)draw(3), columns = (int64_t)draw(20);
    n1 *= 1 << 2 * draw(3), n2 *= 1 << 2 * draw(3);
    int64_t n = n1 * n2, keys = 1 + (int64_t)draw((uint64_t)n), rows = 1 + (int64_t)draw((uint64_t)n);
    int64_t begin = (int64_t)draw((uint64_t)(n - rows + 1));
    Drawn value = drawn_values(keys, columns, is_double), output = drawn_values(rows, columns, is_double);
    double *weight = drawn_numbers(n), *factor = drawn_numbers(rows), *circle = malloc((size_t)n * 16);
    double *between = malloc((size_t)n * 16), *spectrum = malloc((size_t)n * 16);
    double *roots1 = new_roots(n1), *roots2 = new_roots(n2);
    char *scratch = malloc((size_t)bytes_of_scratch(kernel->lanes[1], n1, n2));
    for (int64_t i = 0; i < n; i++) set_root(circle + 2 * i, i, n);
    for (int64_t t1 = 0; t1 < n1; t1++)
        for (int64_t t2 = 0; t2 < n2; t2++) {
            int64_t k1 = frequency(t1, n1), k = k1 + n1 * frequency(t2, n2);
            set_root(between + 2 * (t2 * n1 + t1), t2 * k1, n);
            double re = 0, im = 0;
            for (int64_t i = 0; i < n; i++) {
                re += weight[i] * circle[2 * (i * k % n)];
                im += weight[i] * circle[2 * (i * k % n) + 1];
            }
            spectrum[2 * (t1 * n2 + t2)] = re / (double)n, spectrum[2 * (t1 * n2 + t2) + 1] = im / (double)n;
        }
    Fourier job = {n1, n2, roots1, roots2, between, spectrum, factor, begin, rows, keys, value.table.row,
                   output.table.row, !is_double};
    kernel->convolve(&job, value.memory, output.memory, columns, scratch);
    int fine = 1;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns && fine; c++) {
            double sum = 0;
            for (int64_t i = 0; i < keys; i++)
                sum += weight[(begin + r - i + n) % n] * at(&value.table, 0, i, c, is_double);
            fine = rounded_once(at(&output.table, 0, r, c, is_double), factor[r] * sum, is_double);
        }
    if (!fine)
        printf("%s convolve: %ld by %ld, columns %ld keys %ld begin %ld rows %ld\n", kernel->name, (long)n1,
               (long)n2, (long)columns, (long)keys, (long)begin, (long)rows);
    free(weight), free(factor), free(output.memory), free(value.memory), free(circle), free(between);
    free(spectrum), free(roots1), free(roots2), free(scratch);
    return fine;
}

int main(void) {
    int failed = 0, passed = 0;
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (!runs_here(&KERNELS[k])) {
            printf("this machine has no %s, which is not tested\n", KERNELS[k].name);
            continue;
        }
        for (int is_double = 0; is_double < 2; is_double++) {
            for (int i = 0; i < 150; i++)
                one_problem(&KERNELS[k], is_double, (int64_t)draw(i % 3 ? 20 : 150), (int64_t)draw(i % 2 ? 20 : 250), 0)
                    ? passed++ : failed++;
            for (int i = 0; i < 8; i++) /* long enough to be cut into parts */
                one_problem(&KERNELS[k], is_double, 1 + (int64_t)draw(12), 16128 + (int64_t)draw(3000), 0)
                    ? passed++ : failed++;
            for (int i = 0; i < 8; i++) /* many queries, in larger blocks */
                one_problem(&KERNELS[k], is_double, 1024 + (int64_t)draw(4000), (int64_t)draw(30), 0)
                    ? passed++ : failed++;
            for (int i = 0; i < 100; i++)
                one_description(&KERNELS[k], is_double, (int64_t)draw(i % 3 ? 40 : 300), (int64_t)draw(i % 2 ? 30 : 800))
                    ? passed++ : failed++;
            for (int i = 0; i < 40; i++) /* few queries and keys, and little to mind */
                one_problem(&KERNELS[k], is_double, (int64_t)draw(6), (int64_t)draw(40), 1) ? passed++ : failed++;
        }
        for (int i = 0; i < 120; i++) {
            /* Rows of a power of 2 may be done together. */
            int64_t columns = i % 3 == 0 ? 1 << draw(8) : (int64_t)draw(i % 3 == 1 ? 20 : 80);
            one_positional_head(&KERNELS[k], 1 + (int64_t)draw(i % 4 < 2 ? 300 : 40), columns, i % 2)
                ? passed++ : failed++;
        }
        for (int i = 0; i < 2; i++) one_full_tile(&KERNELS[k], i) ? passed++ : failed++;
        for (int i = 0; i < 80; i++) one_convolution(&KERNELS[k], i % 2) ? passed++ : failed++;
    }
    printf("largest error: float %.1e, double %.1e\n", worst[0], worst[1]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
