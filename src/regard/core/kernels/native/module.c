/* The Python module `regard.core.kernels._native`: job(...) sets up a call, work(job) computes.
 *
 * The arithmetic is in vector.h, tile.h, block.h and rows.h, in the order in which to read them.
 * It is compiled for two types and for each instruction set; which one runs is decided when
 * the module is loaded.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

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

/* Find where the arrays of a problem begin. */
static Place find_place(const Job *job, int64_t problem) {
    Place place = {job->query.data, job->key.data,    job->value.data,   job->mask.data, job->first.data,
                   job->end.data,   job->output.data, job->weights.data, job->lse.data};
    for (int axis = job->outer_axes - 1; axis >= 0; axis--) {
        int64_t i = problem % job->outer[axis];
        problem /= job->outer[axis];
        place.query += i * job->query.outer[axis];
        place.key += i * job->key.outer[axis];
        place.value += i * job->value.outer[axis];
        place.output += i * job->output.outer[axis];
        if (place.mask) place.mask += i * job->mask.outer[axis];
        if (place.first) place.first += i * job->first.outer[axis];
        if (place.end) place.end += i * job->end.outer[axis];
        if (place.weights) place.weights += i * job->weights.outer[axis];
        if (place.lse) place.lse += i * job->lse.outer[axis];
    }
    return place;
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

/* Each instruction set: bytes of a vector, vectors side by side and rows of a register block. */
#if ON_X86
#define SET avx512
#define VECTOR_BYTES 64
#define WIDTH 4
#define ROWS 6
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
#endif
#include "both.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#define SET avx2
#define VECTOR_BYTES 32
#define WIDTH 2
#define ROWS 6
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "both.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#define SET baseline
#define VECTOR_BYTES 16
#define WIDTH 2
#define ROWS 6
#include "both.h"

static const Kernel KERNELS[] = {
#if ON_X86
    {"avx512", {16, 8}, {64, 32}, {work_float_avx512, work_double_avx512}},
    {"avx2", {8, 4}, {16, 8}, {work_float_avx2, work_double_avx2}},
#endif
    {"baseline", {4, 2}, {8, 4}, {work_float_baseline, work_double_baseline}},
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

/* ---- setting up a job --------------------------------------------------------------------- */

enum { QUERIES_FOR_PARTS = 64, KEYS_OF_A_PART = 8064, SCORES_AT_ONCE = 1 << 15 };

/* Cut a job into tasks, by its lengths and the kind of its arrays alone, never by its batch. */
static int cut_into_tasks(Job *job, const Kernel *kernel, int is_double) {
    int64_t real = is_double ? 8 : 4;
    job->few = 2 * job->n_q <= kernel->lanes[is_double];
    job->block = job->few ? (job->n_q ? job->n_q : 1) : job->weights.data ? kernel->strip[is_double] : 64;
    job->blocks = (job->n_q + job->block - 1) / job->block;
    job->part = job->n_k ? job->n_k : 1;
    job->parts = 1;
    if (job->n_q <= QUERIES_FOR_PARTS && job->n_k >= 2 * KEYS_OF_A_PART) {
        job->part = KEYS_OF_A_PART;
        job->parts = (job->n_k + job->part - 1) / job->part;
    }
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

enum { ARRAYS = 9 };

typedef struct {
    Job job;
    const Kernel *kernel;
    int is_double;
    int held;
    Py_buffer buffers[ARRAYS]; /* keep the arrays alive and in place */
} Held;

static void forget(PyObject *capsule) {
    Held *held = PyCapsule_GetPointer(capsule, "regard job");
    for (int i = 0; i < held->held; i++) PyBuffer_Release(&held->buffers[i]);
    free(held->job.not_finite);
    free(held->job.parts_left);
    free(held->job.partial);
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

static PyObject *new_job(PyObject *module, PyObject *args) {
    PyObject *query, *key, *value, *mask, *first, *end, *output, *lse, *weights;
    double scale, softcap;
    const char *name;
    int mask_kind, is_double;
    if (!PyArg_ParseTuple(args, "sOOOOOOOOOddii", &name, &query, &key, &value, &mask, &first, &end,
                          &output, &lse, &weights, &scale, &softcap, &mask_kind, &is_double))
        return NULL;
    Held *held = calloc(1, sizeof *held);
    if (!held) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(held, "regard job", forget);
    if (!capsule) {
        free(held);
        return NULL;
    }
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (!strcmp(name, KERNELS[i].name)) held->kernel = &KERNELS[i];
    if (!held->kernel || !runs_here(held->kernel)) {
        PyErr_Format(PyExc_ValueError, "this machine has no kernel %s", name);
        goto fail;
    }
    Job *job = &held->job;
    Py_buffer shape;
    if (PyObject_GetBuffer(query, &shape, PyBUF_STRIDED_RO)) goto fail;
    job->outer_axes = shape.ndim - 2;
    if (shape.ndim < 2 || job->outer_axes > MAX_OUTER) {
        PyBuffer_Release(&shape);
        PyErr_SetString(PyExc_ValueError, "too few or too many axes");
        goto fail;
    }
    job->problems = 1;
    for (int i = 0; i < job->outer_axes; i++) job->problems *= job->outer[i] = shape.shape[i];
    job->n_q = shape.shape[job->outer_axes];
    job->d_k = shape.shape[job->outer_axes + 1];
    PyBuffer_Release(&shape);
    if (read_table(held, query, 2, 0, &job->query) || read_table(held, key, 2, 0, &job->key) ||
        read_table(held, value, 2, 0, &job->value) || read_table(held, mask, 2, 0, &job->mask) ||
        read_table(held, first, 1, 0, &job->first) || read_table(held, end, 1, 0, &job->end) ||
        read_table(held, output, 2, 1, &job->output) || read_table(held, lse, 1, 1, &job->lse) ||
        read_table(held, weights, 2, 1, &job->weights))
        goto fail;
    job->n_k = held->buffers[1].shape[job->outer_axes];
    job->d_v = held->buffers[2].shape[job->outer_axes + 1];
    job->scale = scale;
    job->softcap = softcap;
    job->mask_kind = mask_kind;
    held->is_double = is_double;
    if (cut_into_tasks(job, held->kernel, is_double)) {
        PyErr_NoMemory();
        goto fail;
    }
    return capsule;
fail:
    Py_DECREF(capsule);
    return NULL;
}

static PyObject *work(PyObject *module, PyObject *args) {
    PyObject *capsule;
    double seconds;
    if (!PyArg_ParseTuple(args, "Od", &capsule, &seconds)) return NULL;
    Held *held = PyCapsule_GetPointer(capsule, "regard job");
    if (!held) return NULL;
    int left;
    Py_BEGIN_ALLOW_THREADS
    left = held->kernel->work[held->is_double](&held->job, seconds);
    Py_END_ALLOW_THREADS
    if (left < 0) return PyErr_NoMemory();
    return PyBool_FromLong(left);
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
    {"work", work, METH_VARARGS, "Compute for some seconds; True if something is left to do."},
    {"not_finite", not_finite, METH_O, "List the blocks that have to be done again, carefully."},
    {"kernels", kernels, METH_NOARGS, "List the instruction sets that run here, the best first."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_native", "Attention in C.", -1, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&MODULE); }
