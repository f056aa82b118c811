/* The Python module `regard.core.kernels._native`: job(...) sets up a call, run(job, ...) computes; so do
 * statistics_job(...) and run_statistics(job, ...); attention(...) does both for a short call, see straight.h;
 * taps(...) and convolve(...) compute rows of a positional head. */

#define _GNU_SOURCE /* sched_getaffinity */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sched.h>

#include "pool.h"

enum { ARRAYS = 6 + STATISTICS_TABLES + 2 };

typedef struct {
    Job job;
    Statistics statistics;
    const Kernel *kernel;
    int is_double;
    int held;
    Py_buffer buffers[ARRAYS]; /* keep the arrays alive and in place */
} Held;

static void forget(PyObject *capsule) {
    Held *held = PyCapsule_GetPointer(capsule, "regard job");
    for (int i = 0; i < held->held; i++) PyBuffer_Release(&held->buffers[i]);
    free_tasks(&held->job);
    free(held->statistics.rows);
    free(held);
}

/* Read an array (*outer, row[, column]) whose outer axes are those of the job. */
static int read_table(Held *held, PyObject *array, int inner, int writable, Table *table) {
    if (array == Py_None) return 0;
    Py_buffer *buffer = &held->buffers[held->held];
    if (PyObject_GetBuffer(array, buffer, writable ? PyBUF_STRIDED : PyBUF_STRIDED_RO)) return -1;
    held->held++;
    if (buffer->ndim != held->job.outer_axes + inner) {
        PyErr_SetString(PyExc_ValueError, "arrays of a job must share their outer axes");
        return -1;
    }
    table->data = buffer->buf;
    for (int i = 0; i < held->job.outer_axes; i++) {
        table->outer[i] = buffer->strides[i];
        if (buffer->shape[i] != held->job.outer[i]) {
            PyErr_SetString(PyExc_ValueError, "arrays of a job must share their outer axes");
            return -1;
        }
    }
    table->row = buffer->strides[held->job.outer_axes];
    table->column = inner > 1 ? buffer->strides[held->job.outer_axes + 1] : 0;
    return 0;
}

static const Kernel *find_kernel(const char *name) {
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (!strcmp(name, KERNELS[i].name) && runs_here(&KERNELS[i])) return &KERNELS[i];
    PyErr_Format(PyExc_ValueError, "this machine has no kernel %s", name);
    return NULL;
}

/* A capsule with an empty job for a kernel, or NULL. */
static PyObject *empty_job(const char *name, Held **held) {
    if (!(*held = calloc(1, sizeof **held))) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(*held, "regard job", forget);
    if (!capsule) {
        free(*held);
        return NULL;
    }
    if (!((*held)->kernel = find_kernel(name))) Py_CLEAR(capsule);
    return capsule;
}

/* Read what is attended with, and the lengths. */
static int read_inputs(Held *held, PyObject *query, PyObject *key, PyObject *value, PyObject *mask,
                       PyObject *first, PyObject *end) {
    Job *job = &held->job;
    Py_buffer shape;
    if (PyObject_GetBuffer(query, &shape, PyBUF_STRIDED_RO)) return -1;
    job->outer_axes = shape.ndim - 2;
    if (shape.ndim < 2 || job->outer_axes > MAX_OUTER) {
        PyBuffer_Release(&shape);
        PyErr_SetString(PyExc_ValueError, "too few or too many axes");
        return -1;
    }
    job->problems = 1;
    for (int i = 0; i < job->outer_axes; i++) job->problems *= job->outer[i] = shape.shape[i];
    job->n_q = shape.shape[job->outer_axes];
    job->d_k = shape.shape[job->outer_axes + 1];
    PyBuffer_Release(&shape);
    if (read_table(held, query, 2, 0, &job->query) || read_table(held, key, 2, 0, &job->key) ||
        read_table(held, value, 2, 0, &job->value) || read_table(held, mask, 2, 0, &job->mask) ||
        read_table(held, first, 1, 0, &job->first) || read_table(held, end, 1, 0, &job->end))
        return -1;
    job->n_k = held->buffers[1].shape[job->outer_axes];
    job->d_v = held->buffers[2].shape[job->outer_axes + 1];
    return 0;
}

/* A job that was read (`failed`: or was not) with its numbers and tasks, or NULL. */
static PyObject *ready(PyObject *capsule, Held *held, int failed, double scale, double softcap, int mask_kind,
                       int is_double) {
    Job *job = &held->job;
    job->scale = scale;
    job->softcap = softcap;
    job->mask_kind = mask_kind;
    held->is_double = is_double;
    if (!failed && (job->statistics ? cut_statistics(job, is_double) : cut_into_tasks(job, held->kernel, is_double))) {
        PyErr_NoMemory();
        failed = 1;
    }
    if (failed) Py_CLEAR(capsule);
    return capsule;
}

static PyObject *new_job(PyObject *module, PyObject *args) {
    PyObject *query, *key, *value, *mask, *first, *end, *output, *lse, *weights;
    double scale, softcap;
    const char *name;
    int mask_kind, is_double;
    if (!PyArg_ParseTuple(args, "sOOOOOOOOOddii", &name, &query, &key, &value, &mask, &first, &end,
                          &output, &lse, &weights, &scale, &softcap, &mask_kind, &is_double))
        return NULL;
    Held *held;
    PyObject *capsule = empty_job(name, &held);
    if (!capsule) return NULL;
    Job *job = &held->job;
    int failed = read_inputs(held, query, key, value, mask, first, end) ||
                 read_table(held, output, 2, 1, &job->output) || read_table(held, lse, 1, 1, &job->lse) ||
                 read_table(held, weights, 2, 1, &job->weights);
    return ready(capsule, held, failed, scale, softcap, mask_kind, is_double);
}

/* Compute with up to so many threads, and look up from the work to see whether there is a signal. */
static int run_job(Job *job, int (*work)(Job *, double), int threads, double seconds) {
    Call call = {.job = job, .work = work};
    int left, interrupted = 0, helpers = helpers_worth(job);
    if (helpers > threads - 1) helpers = threads - 1;
    share_tasks(job, helpers + 1);
    if (helpers > 0) begin_call(&call, helpers);
    do {
        Py_BEGIN_ALLOW_THREADS
        left = call.work(call.job, seconds);
        Py_END_ALLOW_THREADS
        interrupted = left > 0 && PyErr_CheckSignals();
    } while (left > 0 && !interrupted);
    if (left) call.job->next = NO_TASK;
    if (helpers > 0) {
        Py_BEGIN_ALLOW_THREADS
        end_call(&call);
        Py_END_ALLOW_THREADS
    }
    if (!interrupted && left < 0) PyErr_NoMemory();
    return interrupted || left < 0 ? -1 : 0;
}

static PyObject *run(PyObject *module, PyObject *args) {
    PyObject *capsule;
    int threads;
    double seconds;
    if (!PyArg_ParseTuple(args, "Oid", &capsule, &threads, &seconds)) return NULL;
    Held *held = PyCapsule_GetPointer(capsule, "regard job");
    if (!held || run_job(&held->job, held->kernel->work[held->is_double], threads, seconds)) return NULL;
    Py_RETURN_NONE;
}

/* List the blocks in which infinity or NaN came out: (problem, first query, end query). */
static PyObject *not_finite(PyObject *module, PyObject *capsule) {
    Held *held = PyCapsule_GetPointer(capsule, "regard job");
    if (!held) return NULL;
    const Job *job = &held->job;
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < job->problems * job->blocks; i++) {
        if (!job->not_finite[i]) continue;
        int64_t start = i % job->blocks * job->block, stop = start + job->block;
        PyObject *item = Py_BuildValue("LLL", (long long)(i / job->blocks), (long long)start,
                                       (long long)(stop < job->n_q ? stop : job->n_q));
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

#include "module_statistics.h"
#include "straight.h"

/* Whether values and output are both of floats or both of doubles, in rows that may lie apart. */
static int alike(const Py_buffer *value, const Py_buffer *output) {
    const Py_ssize_t size = value->itemsize;
    return value->ndim == 2 && output->ndim == 2 && (size == 4 || size == 8) && output->itemsize == size &&
           value->shape[1] == output->shape[1] && value->strides[1] == size && output->strides[1] == size &&
           value->strides[0] % size == 0 && output->strides[0] % size == 0;
}

/* Let go of arrays: None, or an exception where those of a function did not fit together. */
static PyObject *let_go(Py_buffer *buffer, int held, int fit, const char *function) {
    for (int i = 0; i < held; i++) PyBuffer_Release(&buffer[i]);
    if (PyErr_Occurred()) return NULL;
    if (!fit) return PyErr_Format(PyExc_ValueError, "the arrays of %s do not fit together", function);
    Py_RETURN_NONE;
}

/* Fill some rows of a positional head. Shifts, weights and factors are contiguous, of 8 bytes an entry;
 * for values and output see `alike`. */
static PyObject *taps(PyObject *module, PyObject *args) {
    enum { SHIFT, WEIGHT, FACTOR, VALUE, OUTPUT, COUNT };
    PyObject *array[COUNT];
    Py_buffer buffer[COUNT];
    const char *name;
    long long first;
    if (!PyArg_ParseTuple(args, "sOOOLOO", &name, &array[SHIFT], &array[WEIGHT], &array[FACTOR], &first,
                          &array[VALUE], &array[OUTPUT]))
        return NULL;
    const Kernel *kernel = find_kernel(name);
    int held = 0, fits = kernel != NULL;
    for (; fits && held < COUNT; held++) {
        int flags = (held < VALUE ? PyBUF_C_CONTIGUOUS : PyBUF_STRIDES) | (held == OUTPUT ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(array[held], &buffer[held], flags)) break;
        fits = held >= VALUE || (buffer[held].ndim == 1 && buffer[held].itemsize == 8);
    }
    if (fits && held == COUNT) {
        const Py_buffer *value = &buffer[VALUE], *output = &buffer[OUTPUT];
        fits = alike(value, output) && buffer[SHIFT].shape[0] == buffer[WEIGHT].shape[0] &&
               buffer[FACTOR].shape[0] == output->shape[0];
        if (fits) {
            Taps job = {buffer[SHIFT].buf, buffer[WEIGHT].buf, buffer[SHIFT].shape[0], buffer[FACTOR].buf,
                        first, output->shape[0], value->shape[0], value->shape[1], value->strides[0],
                        output->strides[0], value->itemsize == 4};
            Py_BEGIN_ALLOW_THREADS
            kernel->taps(&job, value->buf, output->buf);
            Py_END_ALLOW_THREADS
        }
    }
    return let_go(buffer, held, fits, "taps");
}

/* Fill columns of a positional head by Fourier transforms. All is made of doubles and contiguous; for
 * values and output see `alike`. */
static PyObject *convolve(PyObject *module, PyObject *args) {
    enum { ROOTS1, ROOTS2, BETWEEN, SPECTRUM, FACTOR, SCRATCHED, VALUE, OUTPUT, COUNT };
    PyObject *array[COUNT];
    Py_buffer buffer[COUNT];
    const char *name;
    long long n1, n2, begin;
    if (!PyArg_ParseTuple(args, "sLLOOOOOLOOO", &name, &n1, &n2, &array[ROOTS1], &array[ROOTS2],
                          &array[BETWEEN], &array[SPECTRUM], &array[FACTOR], &begin, &array[SCRATCHED],
                          &array[VALUE], &array[OUTPUT]))
        return NULL;
    const Kernel *kernel = find_kernel(name);
    int held = 0, fits = kernel && bytes_of_roots(n1) >= 0 && bytes_of_roots(n2) >= 0;
    for (; fits && held < COUNT; held++) {
        int flags = (held < VALUE ? PyBUF_C_CONTIGUOUS : PyBUF_STRIDES) |
                    (held == OUTPUT || held == SCRATCHED ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(array[held], &buffer[held], flags)) break;
    }
    if (fits && held == COUNT) {
        const Py_buffer *value = &buffer[VALUE], *output = &buffer[OUTPUT];
        int64_t roots = 2 * 8 * n1 * n2; /* bytes */
        fits = alike(value, output) && value->shape[0] <= n1 * n2 && begin >= 0 &&
               begin + output->shape[0] <= n1 * n2 && buffer[FACTOR].len == 8 * output->shape[0] &&
               buffer[BETWEEN].len == roots && buffer[SPECTRUM].len == roots &&
               buffer[ROOTS1].len == bytes_of_roots(n1) && buffer[ROOTS2].len == bytes_of_roots(n2) &&
               buffer[SCRATCHED].len >= bytes_of_scratch(kernel->lanes[1], n1, n2);
        if (fits) {
            Fourier job = {n1, n2, buffer[ROOTS1].buf, buffer[ROOTS2].buf, buffer[BETWEEN].buf,
                           buffer[SPECTRUM].buf, buffer[FACTOR].buf, begin, output->shape[0],
                           value->shape[0], value->strides[0], output->strides[0], value->itemsize == 4};
            Py_BEGIN_ALLOW_THREADS
            kernel->convolve(&job, value->buf, output->buf, value->shape[1], buffer[SCRATCHED].buf);
            Py_END_ALLOW_THREADS
        }
    }
    return let_go(buffer, held, fits, "convolve");
}

static PyObject *scratch(PyObject *module, PyObject *args) {
    const char *name;
    long long n1, n2;
    if (!PyArg_ParseTuple(args, "sLL", &name, &n1, &n2)) return NULL;
    const Kernel *kernel = find_kernel(name);
    if (!kernel) return NULL;
    int lanes = kernel->lanes[1];
    return Py_BuildValue("iL", 2 * lanes, (long long)bytes_of_scratch(lanes, n1, n2));
}

static PyObject *kernels(PyObject *module, PyObject *none) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < KERNEL_COUNT; i++) {
        if (!runs_here(&KERNELS[i])) continue;
        PyObject *name = PyUnicode_FromString(KERNELS[i].name);
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef METHODS[] = {
    {"job", new_job, METH_VARARGS, "Set up a call."},
    {"run", run, METH_VARARGS, "Compute with up to so many threads; look for signals after so many seconds."},
    {"attention", (PyCFunction)(void (*)(void))straight_attention, METH_FASTCALL, "Compute a short call, or return None."},
    {"prepare", prepare, METH_VARARGS, "Give NumPy's ndarray, empty, float32 and float64 for attention."},
    {"not_finite", not_finite, METH_O, "List the blocks that have to be done again, carefully."},
    {"statistics_job", statistics_job, METH_VARARGS, "Set up a call for statistics of the weights."},
    {"run_statistics", run_statistics, METH_VARARGS, "Compute it, as run does."},
    {"taps", taps, METH_VARARGS, "Compute some rows of a positional head."},
    {"convolve", convolve, METH_VARARGS, "Convolve columns of values by Fourier transforms."},
    {"scratch", scratch, METH_VARARGS, "Return how many columns convolve takes at once, and the bytes of its scratch."},
    {"kernels", kernels, METH_NOARGS, "List the instruction sets that run here, the best first."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_native", "Attention in C.", -1, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
    static int prepared = 0;
    if (!prepared && survive_forks()) return PyErr_NoMemory();
    prepared = 1;
    return PyModule_Create(&MODULE);
}
