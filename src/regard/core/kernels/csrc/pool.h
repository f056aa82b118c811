/* Threads that help with a call. They are started when first needed and wait for the next call then:
 * a call of a millisecond would notice the time that starting a thread takes.
 *
 * The caller works too. It puts its call on a list, from which free threads take it. When no task is
 * left it takes the call off, and waits for those that are still at their last task; it never waits
 * for a thread that has not begun. A child made by fork has none of the threads and starts its own.
 */

#ifndef REGARD_POOL_H
#define REGARD_POOL_H

#include <pthread.h>
#include <signal.h>

#include "kernels.h"

typedef struct Call {
    Job *job;
    int (*work)(Job *, double seconds);
    int wanted;                    /* threads that may still join */
    _Atomic int inside;            /* threads that have joined and not left */
    struct Call *next;
} Call;

static struct {
    pthread_mutex_t lock;          /* for all that is not atomic */
    pthread_cond_t called, left;
    Call *calls;
    int threads;
    _Atomic int wanted;            /* of all calls */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .called = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

#if ON_X86
#define RELAX() __builtin_ia32_pause()
#else
#define RELAX() ((void)0)
#endif

/* Watch a number for a moment. Falling asleep and being woken up takes as long. */
static void watch(_Atomic int *number, int until_zero) {
    for (double end = now() + 100e-6; now() < end;)
        for (int i = 0; i < 16; i++) {
            if ((*number == 0) == until_zero) return;
            RELAX();
        }
}

static Call *some_call(void) {
    Call *call = pool.calls;
    while (call && !call->wanted) call = call->next;
    return call;
}

static void *help(void *nothing) {
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        Call *call = some_call();
        if (!call) {
            pthread_mutex_unlock(&pool.lock);
            watch(&pool.wanted, 0);
            pthread_mutex_lock(&pool.lock);
            while (!(call = some_call())) pthread_cond_wait(&pool.called, &pool.lock);
        }
        call->wanted--;
        call->inside++;
        pool.wanted--;
        pthread_mutex_unlock(&pool.lock);
        call->work(call->job, INFINITY); /* without memory it does nothing, and others do it */
        pthread_mutex_lock(&pool.lock);
        if (--call->inside == 0) pthread_cond_broadcast(&pool.left);
    }
    return nothing;
}

/* Ask for helpers. Where threads cannot be started the caller does with fewer. */
static void begin_call(Call *call, int helpers) {
    pthread_mutex_lock(&pool.lock);
    if (pool.threads < helpers) {
        sigset_t all, before;
        sigfillset(&all); /* signals are for the threads of Python */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_t thread;
        for (; pool.threads < helpers && !pthread_create(&thread, NULL, help, NULL); pool.threads++)
            pthread_detach(thread);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    call->wanted = helpers < pool.threads ? helpers : pool.threads;
    pool.wanted += call->wanted;
    call->next = pool.calls;
    pool.calls = call;
    for (int i = 0; i < call->wanted; i++) pthread_cond_signal(&pool.called);
    pthread_mutex_unlock(&pool.lock);
}

/* Let nobody else join, and wait until nobody is inside. */
static void end_call(Call *call) {
    pthread_mutex_lock(&pool.lock);
    pool.wanted -= call->wanted;
    Call **at = &pool.calls;
    while (*at != call) at = &(*at)->next;
    *at = call->next;
    pthread_mutex_unlock(&pool.lock);
    watch(&call->inside, 1);
    pthread_mutex_lock(&pool.lock);
    while (call->inside) pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void before_fork(void) { pthread_mutex_lock(&pool.lock); }

static void in_parent(void) { pthread_mutex_unlock(&pool.lock); }

static void in_child(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.called, NULL);
    pthread_cond_init(&pool.left, NULL);
    pool.calls = NULL;
    pool.threads = 0;
    pool.wanted = 0;
}

/* To be called once. Returns 0, or what went wrong. */
static int survive_forks(void) { return pthread_atfork(before_fork, in_parent, in_child); }

#endif
