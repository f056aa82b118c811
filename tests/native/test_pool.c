/* Calls at once from several threads, and from a child made by fork, each with helpers.
 *
 * `make check` builds this with ThreadSanitizer, which notices what two threads do to the same place
 * without an order, even where the results come out right.
 */

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/regard/core/kernels/csrc/pool.h"

enum { CALLERS = 4, CALLS = 40, HELPERS = 3, HEADS = 6, N = 130, D = 5, SIZE = HEADS * N * D };

/* ThreadSanitizer refuses threads after a fork unless told. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }

static float array[3][SIZE], expected[SIZE];

static Job new_job(float *output) {
    Table table = {.outer = {N * D * 4}, .row = D * 4, .column = 4};
    Job job = {.outer_axes = 1, .outer = {HEADS}, .problems = HEADS, .n_q = N, .n_k = N, .d_k = D, .d_v = D,
               .scale = 0.5, .query = table, .key = table, .value = table, .output = table};
    job.query.data = (char *)array[0];
    job.key.data = (char *)array[1];
    job.value.data = (char *)array[2];
    job.output.data = (char *)output;
    return job;
}

static const Kernel *best_kernel(void) {
    const Kernel *kernel = KERNELS;
    while (!runs_here(kernel)) kernel++;
    return kernel;
}

/* Returns how many of a caller's calls gave something else than a caller alone. */
static void *caller(void *failed) {
    const Kernel *kernel = best_kernel();
    for (int i = 0; i < CALLS; i++) {
        float output[SIZE];
        memset(output, 0xff, sizeof output);
        Job job = new_job(output);
        Call call = {.job = &job, .work = kernel->work[0]};
        if (cut_into_tasks(&job, kernel, 0)) abort();
        begin_call(&call, i % (HELPERS + 1));
        while (call.work(&job, 1e-6) > 0) continue;
        end_call(&call);
        *(int *)failed += memcmp(output, expected, sizeof output) != 0;
        free_tasks(&job);
    }
    return NULL;
}

static int callers_at_once(void) {
    pthread_t thread[CALLERS];
    int failed[CALLERS] = {0}, sum = 0;
    for (int i = 0; i < CALLERS; i++) pthread_create(&thread[i], NULL, caller, &failed[i]);
    for (int i = 0; i < CALLERS; i++) pthread_join(thread[i], NULL), sum += failed[i];
    return sum;
}

/* Nobody may go on once the number of the next task is past the last one. */
static int stopped_call(void) {
    const Kernel *kernel = best_kernel();
    static float output[SIZE], after[SIZE];
    Job job = new_job(output);
    Call call = {.job = &job, .work = kernel->work[0]};
    if (cut_into_tasks(&job, kernel, 0)) abort();
    begin_call(&call, HELPERS);
    job.next = NO_TASK;
    end_call(&call);
    memcpy(after, output, sizeof output);
    usleep(1000);
    int failed = memcmp(after, output, sizeof output) != 0 || call.inside || pool.calls || pool.wanted;
    free(job.not_finite);
    return failed;
}

int main(void) {
    uint32_t drawn = 1;
    for (int i = 0; i < 3 * SIZE; i++) {
        drawn = drawn * 1664525u + 1013904223u;
        array[i / SIZE][i % SIZE] = (float)(drawn >> 8) / (1 << 22) - 2;
    }
    Job alone = new_job(expected);
    if (cut_into_tasks(&alone, best_kernel(), 0)) abort();
    while (best_kernel()->work[0](&alone, 1) > 0) continue;
    free(alone.not_finite);

    if (survive_forks()) abort();
    int failed = callers_at_once() + stopped_call();
    if (pool.threads != HELPERS) printf("%d threads were started\n", pool.threads), failed++;
    pid_t child = fork();
    if (child == 0) { /* without the threads of its parent, and with its own after a call */
        int without = pool.threads == 0, wrong = 0;
        caller(&wrong);
        _exit(!without || wrong || pool.threads != HELPERS);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status) printf("a child was wrong: %d\n", status), failed++;
    failed += callers_at_once();
    printf("%d passed, %d failed\n", 2 * CALLERS * CALLS + 2 - failed, failed);
    return failed > 0;
}
