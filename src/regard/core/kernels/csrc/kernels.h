/* Every kernel: the arithmetic for two types and each instruction set, and how a call is cut.
 *
 * Read job.h first, then vector.h, tile.h, many_queries.h, few_queries.h, work.h,
 * statistics.h, measure.h, float_values.h, taps.h and fourier.h. This
 * file needs nothing of Python; module.c and the test in tests/native include it.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define ON_X86 1
#else
#define ON_X86 0
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void move(Place *place, const Job *job, int axis, int64_t by) {
    place->query += by * job->query.outer[axis];
    place->key += by * job->key.outer[axis];
    place->value += by * job->value.outer[axis];
    if (place->output) place->output += by * job->output.outer[axis];
    if (place->mask) place->mask += by * job->mask.outer[axis];
    if (place->first) place->first += by * job->first.outer[axis];
    if (place->end) place->end += by * job->end.outer[axis];
    if (place->weights) place->weights += by * job->weights.outer[axis];
    if (place->lse) place->lse += by * job->lse.outer[axis];
}

/* Find where the arrays of a problem begin. */
static Place find_place(const Job *job, int64_t problem) {
    Place place = {job->query.data, job->key.data,    job->value.data,   job->mask.data, job->first.data,
                   job->end.data,   job->output.data, job->weights.data, job->lse.data};
    for (int axis = job->outer_axes - 1; axis > 0; axis--) {
        move(&place, job, axis, problem % job->outer[axis]);
        problem /= job->outer[axis];
    }
    if (job->outer_axes) move(&place, job, 0, problem);
    return place;
}

/* Find where the statistics of a problem begin. */
static Found find_statistics(const Job *job, int64_t problem) {
    char *at[STATISTICS_TABLES];
    const Table *tables = (const Table *)job->statistics;
    for (int t = 0; t < STATISTICS_TABLES; t++) at[t] = tables[t].data;
    for (int axis = job->outer_axes - 1; axis >= 0; axis--) {
        int64_t by = problem % job->outer[axis];
        problem /= job->outer[axis];
        for (int t = 0; t < STATISTICS_TABLES; t++)
            if (at[t]) at[t] += by * tables[t].outer[axis];
    }
    Found found;
    memcpy(&found, at, sizeof found);
    return found;
}

/* Leave out the outer axes of length 1: for tiny problems each division by a length counts. */
static void drop_single_axes(Job *job) {
    Table *tables[] = {&job->query, &job->key, &job->value, &job->mask, &job->first,
                       &job->end, &job->output, &job->weights, &job->lse};
    int kept = 0;
    for (int axis = 0; axis < job->outer_axes; axis++) {
        if (job->outer[axis] == 1) continue;
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) tables[t]->outer[kept] = tables[t]->outer[axis];
        for (int t = 0; job->statistics && t < STATISTICS_TABLES; t++)
            ((Table *)job->statistics)[t].outer[kept] = ((Table *)job->statistics)[t].outer[axis];
        job->outer[kept++] = job->outer[axis];
    }
    job->outer_axes = kept;
}

/* Coefficients of the polynomials in vector.h. */
static const float EXP2_float[] = {0.69314720285503164763f,  0.24022647913636852127f,
                                   0.055503324711908571697f, 0.0096184373569574205587f,
                                   0.0013398874393981390061f, 0.00015353362068858489034f};
static const double EXP2_double[] = {
    0.69314718055994532581,  0.2402265069591013126,   0.055504108664820083227, 0.0096181291075941200896,
    0.0013333558146774620517, 0.0001540353045711209086, 1.5252733493127489347e-5, 1.3215435282308487999e-6,
    1.0178199571842137974e-7, 7.0737832485031332991e-9, 4.4347712982003767083e-10};
static const float TANH_float[] = {-0.33333333149374507128f, 0.13333300146188914709f,
                                   -0.053958461627452201433f, 0.021762502907359263884f,
                                   -0.0083231870582787745153f, 0.0022695016841623539865f};
static const double TANH_double[] = {
    -0.33333333333333332818,   0.13333333333332962279,   -0.053968253967810539973,
    0.021869488515352346926,   -0.0088632350243061059836, 0.0035921207608708409922,
    -0.0014557676940659454624, 0.00058962214868720598625, -0.00023746756598223250803,
    9.2327497080853709566e-5,  -3.0929125473864670152e-5, 6.3543408148597192105e-6};

#define JOIN(a, b, c) a##_##b##_##c
#define NAME3(a, b, c) JOIN(a, b, c)
#define NAME(x) NAME3(x, TYPE, SET)

#define PRAGMA(x) _Pragma(#x)
#ifdef __clang__
#define COMPILE_FOR(set) PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define COMPILE_AS_BEFORE PRAGMA(clang attribute pop)
#else
#define COMPILE_FOR(set) PRAGMA(GCC push_options) PRAGMA(GCC target(set))
#define COMPILE_AS_BEFORE PRAGMA(GCC pop_options)
#endif

/* Each instruction set: which intrinsics it has (by their bits), bytes of a vector, vectors side by
 * side and rows of a block of registers, and keys of a tile, whose scores should fill no more than
 * half of the first-level cache. */
#if ON_X86
#define SET avx512
#define INTRINSICS 512
#define VECTOR_BYTES 64
#define WIDTH 4
#define ROWS 6
#define TILE 96
COMPILE_FOR("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
#include "instantiate.h"
COMPILE_AS_BEFORE

#define SET avx2
#define INTRINSICS 256
#define VECTOR_BYTES 32
#define WIDTH 2
#define ROWS 6
#define TILE 144
COMPILE_FOR("avx2,fma")
#include "instantiate.h"
COMPILE_AS_BEFORE
#endif

#define SET baseline
#define INTRINSICS 0
#define VECTOR_BYTES 16
#define WIDTH 2
#define ROWS 6
#define TILE 144
#include "instantiate.h"

/* The code for 512 bits in instructions that every machine has: for the test, and very slow. */
#ifdef TEST_WIDE
#define SET wide
#define INTRINSICS 0
#define VECTOR_BYTES 64
#define WIDTH 4
#define ROWS 6
#define TILE 96
#include "instantiate.h"
#endif

#define BOTH(function, set) {function##_float_##set, function##_double_##set}
#define KERNEL(set) {#set, BOTH(lanes, set), BOTH(strip, set), BOTH(work, set), BOTH(measure, set), \
                     BOTH(receive, set), taps_double_##set, convolve_double_##set}
static const Kernel KERNELS[] = {
#if ON_X86
    KERNEL(avx512),
    KERNEL(avx2),
#endif
    KERNEL(baseline),
#ifdef TEST_WIDE
    KERNEL(wide),
#endif
};
enum { KERNEL_COUNT = sizeof KERNELS / sizeof *KERNELS };

static int runs_here(const Kernel *kernel) {
#if ON_X86
    __builtin_cpu_init();
    if (!strcmp(kernel->name, "avx512"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (!strcmp(kernel->name, "avx2"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return 1;
}

enum { QUERIES_FOR_COPIES = 128, MOST_COPIED = 2048 /* bytes of a key and its value */ };

/* Rows whose distance is a multiple of 512 bytes share few places in the caches and push each other
 * out. If many queries use a tile, a copy of its rows that lie better is worth its while. */
static int copies_pay(const Job *job, int64_t real) {
    int collide = job->key.row % 512 == 0 || job->value.row % 512 == 0;
    return collide && job->block >= QUERIES_FOR_COPIES && (job->d_k + job->d_v) * real <= MOST_COPIED;
}

/* How many queries pass over the keys together. The keys come from far away if they are many, and
 * the more queries share them the better; but there should be tasks for many threads, and a task
 * should not take so long that an interrupt has to wait for it. */
static int64_t queries_of_a_block(const Job *job) {
    int64_t block = job->n_q / 16 / SMALLEST_BLOCK * SMALLEST_BLOCK;
    if (block > LARGEST_BLOCK) block = LARGEST_BLOCK;
    while (block > SMALLEST_BLOCK && (double)block * (double)job->n_k * (double)(job->d_k + job->d_v) > 4e9)
        block -= SMALLEST_BLOCK;
    return block < SMALLEST_BLOCK ? SMALLEST_BLOCK : block;
}

/* Cut a job into tasks, by its lengths and the kind of its arrays alone, never by its batch. */
static int cut_into_tasks(Job *job, const Kernel *kernel, int is_double) {
    int64_t real = is_double ? 8 : 4;
    drop_single_axes(job);
    job->few = 2 * job->n_q <= kernel->lanes[is_double];
    job->block = job->few ? (job->n_q ? job->n_q : 1)
               : job->weights.data ? kernel->strip[is_double] : queries_of_a_block(job);
    job->blocks = (job->n_q + job->block - 1) / job->block;
    job->copies = !job->few && copies_pay(job, real);
    job->part = job->n_k ? job->n_k : 1;
    job->parts = 1;
    if (job->n_q <= QUERIES_FOR_PARTS && job->n_k >= 2 * KEYS_OF_A_PART) {
        job->part = KEYS_OF_A_PART;
        job->parts = (job->n_k + job->part - 1) / job->part;
    }
    job->plain = job->few && job->n_k && job->n_k <= PLAIN_KEYS && job->scale > 0 && job->softcap == 0 &&
                 job->mask_kind == NO_MASK && !job->first.data && !job->weights.data && !job->lse.data;
    job->at_once = SCORES_AT_ONCE / (job->block * job->part + 1) + 1;
    int64_t all_blocks = job->problems * job->blocks;
    job->not_finite = calloc((size_t)all_blocks + 1, 1);
    if (!job->not_finite) return -1;
    if (job->parts == 1) return 0;
    job->parts_left = malloc((size_t)all_blocks * sizeof *job->parts_left + 1);
    job->partial = malloc((size_t)(job->problems * job->parts * job->n_q * (job->d_v + 2) * real + 1));
    if (!job->parts_left || !job->partial) return -1;
    for (int64_t i = 0; i < all_blocks; i++) atomic_init(&job->parts_left[i], job->parts);
    return 0;
}


/* The same for a job that has statistics. Few queries are a strip with lanes left over. */
static inline int cut_statistics(Job *job, int is_double) {
    drop_single_axes(job);
    job->block = queries_of_a_block(job);
    job->blocks = (job->n_q + job->block - 1) / job->block;
    job->copies = copies_pay(job, is_double ? 8 : 4);
    job->part = job->n_k ? job->n_k : 1;
    job->parts = 1;
    job->at_once = SCORES_AT_ONCE / (job->block * job->part + 1) + 1;
    if (!job->statistics->received.data) return 0;
    job->statistics->rows = malloc((size_t)(job->problems * job->n_q * 2 * (is_double ? 8 : 4) + 1));
    return job->statistics->rows ? 0 : -1;
}

static inline void free_tasks(Job *job) {
    free(job->not_finite);
    free(job->parts_left);
    free(job->partial);
}

/* Multiplications that take longer than it takes to wake a thread. */
enum { WORTH_A_THREAD = 600000 };

/* How many helpers a job keeps busy for longer than it takes to wake them. */
static inline int helpers_worth(const Job *job) {
    double work = (double)job->problems * (double)job->n_q * (double)job->n_k * (double)(job->d_k + job->d_v);
    return work < 1e9 * WORTH_A_THREAD ? (int)(work / WORTH_A_THREAD) : 1000000000;
}

/* Let threads take so few tasks at a time that there are some for each. */
static inline void share_tasks(Job *job, int threads) {
    int64_t fair = job->problems * job->blocks * job->parts / (4 * (int64_t)threads);
    if (threads > 1 && job->at_once > fair) job->at_once = fair > 1 ? fair : 1;
}
