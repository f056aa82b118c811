/* The straight way through a short call: arrays of NumPy that fit as they are, checked and computed here.
 *
 * attention(...) returns None wherever anything is unusual: another kind of array, lengths that do not
 * fit, an argument of another type, NaN in the result. Then core/call.py reads the arguments, computes,
 * and words what is wrong. What is computed here is the same job, and has the same bits.
 *
 * Included by module.c.
 */

enum { QUICK_AXES = 8, MOST_WORK = 100000000 /* multiplications; more notice an interrupt, and need no hurry */ };

/* What `prepare` was given: the class of NumPy's arrays, the function that makes one, two dtypes. */
static PyObject *ndarray, *new_array, *dtypes[2];

static PyObject *prepare(PyObject *module, PyObject *args) {
    PyObject *given[4];
    if (!PyArg_ParseTuple(args, "OOOO", &given[0], &given[1], &given[2], &given[3])) return NULL;
    for (int i = 0; i < 4; i++) Py_INCREF(given[i]);
    ndarray = given[0], new_array = given[1], dtypes[0] = given[2], dtypes[1] = given[3];
    Py_RETURN_NONE;
}

/* How many threads there may be: what threads.available() says, or 0 where that has to be asked. Where
 * helpers would not pay the cores are not counted. */
static int threads_available(int helpers) {
    const char *wanted = getenv("REGARD_THREADS");
    if (wanted && *wanted) {
        char *end;
        long count = strtol(wanted, &end, 10);
        return *end || count < 1 || count > 4096 || *wanted < '1' || *wanted > '9' ? 0 : (int)count;
    }
    if (!helpers) return 1;
#ifdef __linux__
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) ? 0 : CPU_COUNT(&cores);
#else
    return 0;
#endif
}

static int native_is_chosen(void) {
    const char *wanted = getenv("REGARD_KERNEL");
    return !wanted || !*wanted || !strcmp(wanted, "native");
}

/* Whether an array can be read where it is: floats or doubles, none of its lengths 0, rows contiguous
 * and one behind the other. */
static int reads_well(const Py_buffer *a) {
    if (a->ndim < 2 || a->ndim > QUICK_AXES || !a->format || a->format[1] || (uintptr_t)a->buf % (size_t)a->itemsize)
        return 0;
    if (a->format[0] != 'f' && a->format[0] != 'd') return 0;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] == 0 || a->strides[i] % a->itemsize) return 0;
    Py_ssize_t n = a->shape[a->ndim - 2], width = a->shape[a->ndim - 1];
    return (width == 1 || a->strides[a->ndim - 1] == a->itemsize) &&
           (n == 1 || a->strides[a->ndim - 2] >= width * a->itemsize);
}

static void set_table(Table *table, const Py_buffer *a) {
    table->data = a->buf;
    table->row = a->strides[a->ndim - 2];
    table->column = a->strides[a->ndim - 1];
}

/* Fit the three arrays to each other: the same axes, but that key and value may have fewer heads. The
 * head axis is split into groups, which share a key, and the heads of a group. */
static int fit_arrays(Job *job, const Py_buffer *query, const Py_buffer *key, const Py_buffer *value) {
    const Py_buffer *arrays[] = {query, key, value};
    Table *tables[] = {&job->query, &job->key, &job->value};
    int axes = query->ndim - 2;
    if (!reads_well(query) || !reads_well(key) || !reads_well(value) || key->ndim != query->ndim ||
        value->ndim != query->ndim || key->format[0] != query->format[0] || value->format[0] != query->format[0])
        return 0;
    job->n_q = query->shape[axes], job->d_k = query->shape[axes + 1];
    job->n_k = key->shape[axes], job->d_v = value->shape[axes + 1];
    if (key->shape[axes + 1] != job->d_k || value->shape[axes] != job->n_k) return 0;
    job->outer_axes = axes ? axes + 1 : 0;
    job->problems = 1;
    for (int i = 0; i < axes; i++) {
        job->outer[i] = i < axes - 1 ? query->shape[i] : key->shape[i];
        job->problems *= query->shape[i];
        if (value->shape[i] != job->outer[i] || key->shape[i] != job->outer[i]) return 0;
        if (i == axes - 1 && query->shape[i] % job->outer[i]) return 0;
    }
    int64_t per_group = axes ? query->shape[axes - 1] / job->outer[axes - 1] : 1;
    if (axes) job->outer[axes] = per_group;
    for (int t = 0; t < 3; t++) {
        set_table(tables[t], arrays[t]);
        for (int i = 0; i < axes; i++) tables[t]->outer[i] = arrays[t]->strides[i];
        if (axes && t == 0) {
            job->query.outer[axes] = job->query.outer[axes - 1];
            job->query.outer[axes - 1] *= per_group;
        }
    }
    return (double)job->problems * (double)job->n_q * (double)job->n_k * (double)(job->d_k + job->d_v) <= MOST_WORK;
}

/* Allocate one of the results, as NumPy's array of the query's outer axes and then `inner` ones, and set
 * its table. The buffer is to be released. */
static PyObject *new_result(Job *job, const Py_buffer *query, int inner, int64_t width, Table *table, Py_buffer *buffer) {
    int axes = query->ndim - 2;
    PyObject *shape = PyTuple_New(axes + inner);
    for (int i = 0; shape && i < axes + inner; i++) {
        PyObject *length = PyLong_FromSsize_t(i <= axes ? query->shape[i] : (Py_ssize_t)width);
        if (!length) Py_CLEAR(shape);
        else PyTuple_SET_ITEM(shape, i, length);
    }
    if (!shape) return NULL;
    PyObject *arguments[] = {shape, dtypes[query->itemsize == 8]};
    PyObject *array = PyObject_Vectorcall(new_array, arguments, 2, NULL);
    Py_DECREF(shape);
    if (array && PyObject_GetBuffer(array, buffer, PyBUF_STRIDED)) Py_CLEAR(array);
    if (!array) return NULL;
    table->data = buffer->buf;
    table->row = buffer->strides[axes];
    table->column = inner > 1 ? buffer->strides[axes + 1] : 0;
    for (int i = 0; i < axes; i++) table->outer[i] = buffer->strides[i];
    if (axes) {
        table->outer[axes] = table->outer[axes - 1];
        table->outer[axes - 1] *= job->outer[axes];
    }
    return array;
}

/* A whole number of moderate size, or 0 as the result where it is something else. */
static int whole_number(PyObject *given, int64_t *number) {
    if (!PyLong_CheckExact(given)) return 0;
    int overflow;
    *number = PyLong_AsLongLongAndOverflow(given, &overflow);
    return !overflow && *number > -((int64_t)1 << 40) && *number < ((int64_t)1 << 40);
}

/* One side of a window: None is no limit. */
static int window_side(PyObject *given, int64_t *side) {
    *side = (int64_t)1 << 41;
    return given == Py_None || (whole_number(given, side) && *side >= 0);
}

/* Read causal order, window and key length, and fill first and end of each query, which are allocated
 * where they are needed. Returns 0 where something is unusual. */
static int read_rules(Job *job, PyObject *is_causal, PyObject *offset, PyObject *window, PyObject *key_length) {
    int64_t shift, left = (int64_t)1 << 41, right = left, length = job->n_k;
    if ((is_causal != Py_True && is_causal != Py_False) || !whole_number(offset, &shift)) return 0;
    if (window != Py_None &&
        (!PyTuple_CheckExact(window) || PyTuple_GET_SIZE(window) != 2 ||
         !window_side(PyTuple_GET_ITEM(window, 0), &left) || !window_side(PyTuple_GET_ITEM(window, 1), &right)))
        return 0;
    if (key_length != Py_None && (!whole_number(key_length, &length) || length < 0 || length > job->n_k)) return 0;
    if (is_causal == Py_False && window == Py_None && key_length == Py_None) return 1;
    if (is_causal == Py_True && right > 0) right = 0;
    int64_t *ends = malloc((size_t)job->n_q * 2 * sizeof *ends);
    if (!ends) return 0;
    for (int64_t i = 0; i < job->n_q; i++) {
        int64_t first = i + shift - left, end = i + shift + right + 1;
        ends[2 * i] = first < 0 ? 0 : first < job->n_k ? first : job->n_k;
        ends[2 * i + 1] = end < 0 ? 0 : end < length ? end : length;
    }
    job->first = (Table){.data = (char *)ends, .row = 2 * sizeof *ends};
    job->end = (Table){.data = (char *)(ends + 1), .row = 2 * sizeof *ends};
    return 1;
}

/* A scale that leaves nothing to the careful way, and which the dtype holds. */
static int read_scale(Job *job, PyObject *scale, int is_double) {
    job->scale = 1 / sqrt((double)job->d_k);
    if (scale != Py_None) {
        if (!PyFloat_CheckExact(scale)) return 0;
        job->scale = PyFloat_AS_DOUBLE(scale);
    }
    double size = fabs(job->scale);
    return size == 0 || (is_double ? size > 1e-250 && size < 1e250 : size > 1e-25 && size < 1e25);
}

/* attention(query, key, value, scale, is_causal, causal_offset, window, key_lengths, extra): the output;
 * with extra 1 also the lse and with 2 also the weights; or None. */
static PyObject *straight_attention(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    static const Kernel *kernel;
    Py_buffer buffers[5];
    PyObject *output = NULL, *more = NULL;
    Job job;
    int held = 0, done = 0, extra, threads;
    if (count != 9 || !ndarray || !native_is_chosen()) Py_RETURN_NONE;
    for (int i = 0; i < 3; i++)
        if (Py_TYPE(args[i]) != (PyTypeObject *)ndarray) Py_RETURN_NONE;
    while (!kernel || !runs_here(kernel)) kernel = kernel ? kernel + 1 : KERNELS;
    memset(&job, 0, sizeof job);
    for (; held < 3; held++)
        if (PyObject_GetBuffer(args[held], &buffers[held], PyBUF_STRIDED_RO | PyBUF_FORMAT)) goto end;
    const Py_buffer *query = &buffers[0];
    int is_double = query->itemsize == 8;
    if (!fit_arrays(&job, query, &buffers[1], &buffers[2]) || !read_scale(&job, args[3], is_double) ||
        !read_rules(&job, args[4], args[5], args[6], args[7]))
        goto end;
    extra = PyLong_Check(args[8]) ? (int)PyLong_AsLong(args[8]) : 0;
    threads = threads_available(helpers_worth(&job));
    if (!threads) goto end;
    if (!(output = new_result(&job, query, 2, job.d_v, &job.output, &buffers[held]))) goto end;
    held++;
    if (extra) {
        more = extra == 1 ? new_result(&job, query, 1, 0, &job.lse, &buffers[held])
                          : new_result(&job, query, 2, job.n_k, &job.weights, &buffers[held]);
        if (!more) goto end;
        held++;
    }
    if (cut_into_tasks(&job, kernel, is_double)) goto end;
    done = !run_job(&job, kernel->work[is_double], threads, INFINITY);
    for (int64_t i = 0; done && i < job.problems * job.blocks; i++) done = !job.not_finite[i];
end:
    for (int i = 0; i < held; i++) PyBuffer_Release(&buffers[i]);
    free(job.first.data);
    free_tasks(&job);
    PyErr_Clear();
    if (done && more) return Py_BuildValue("NN", output, more);
    Py_XDECREF(more);
    if (done) return output;
    Py_XDECREF(output);
    Py_RETURN_NONE;
}
