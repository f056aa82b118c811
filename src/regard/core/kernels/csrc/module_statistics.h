/* The part of the Python module that sets up and runs a call for statistics; included by module.c. */

/* Whole numbers of 8 bytes side by side. */
static int read_whole_numbers(Held *held, PyObject *array, const int64_t **data, int64_t *count) {
    Py_buffer *buffer = &held->buffers[held->held];
    if (PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS)) return -1;
    held->held++;
    if (buffer->ndim != 1 || buffer->itemsize != 8) {
        PyErr_SetString(PyExc_ValueError, "offsets and columns must be int64 in one axis");
        return -1;
    }
    *data = buffer->buf;
    *count = buffer->shape[0];
    return 0;
}

/* tables: those of `Statistics`, in its order; received may be None. */
static PyObject *statistics_job(PyObject *module, PyObject *args) {
    static const int INNER[STATISTICS_TABLES] = {1, 1, 1, 1, 2, 2, 2, 2, 1, 1}; /* axes after the outer ones */
    enum { TOP_WEIGHTS = offsetof(Statistics, top_weights) / sizeof(Table) };
    PyObject *query, *key, *value, *mask, *first, *end, *tables, *offsets, *columns;
    double scale, softcap;
    const char *name;
    int mask_kind, is_double;
    if (!PyArg_ParseTuple(args, "sOOOOOOO!OOddii", &name, &query, &key, &value, &mask, &first, &end, &PyTuple_Type,
                          &tables, &offsets, &columns, &scale, &softcap, &mask_kind, &is_double))
        return NULL;
    if (PyTuple_GET_SIZE(tables) != STATISTICS_TABLES)
        return PyErr_Format(PyExc_ValueError, "statistics need %d tables", STATISTICS_TABLES);
    Held *held;
    PyObject *capsule = empty_job(name, &held);
    if (!capsule) return NULL;
    Job *job = &held->job;
    Statistics *asked = job->statistics = &held->statistics;
    int failed = read_inputs(held, query, key, value, mask, first, end);
    for (int t = 0; !failed && t < STATISTICS_TABLES; t++) {
        failed = read_table(held, PyTuple_GET_ITEM(tables, t), INNER[t], t < STATISTICS_TABLES - 1, (Table *)asked + t);
        if (!failed && t == TOP_WEIGHTS) asked->top = held->buffers[held->held - 1].shape[job->outer_axes + 1];
    }
    failed = failed || read_whole_numbers(held, offsets, &asked->offsets, &asked->offset_count) ||
             read_whole_numbers(held, columns, &asked->columns, &asked->column_count);
    return ready(capsule, held, failed, scale, softcap, mask_kind, is_double);
}

static PyObject *run_statistics(PyObject *module, PyObject *args) {
    PyObject *capsule;
    int threads;
    double seconds;
    if (!PyArg_ParseTuple(args, "Oid", &capsule, &threads, &seconds)) return NULL;
    Held *held = PyCapsule_GetPointer(capsule, "regard job");
    if (!held || run_job(&held->job, held->kernel->measure[held->is_double], threads, seconds)) return NULL;
    if (held->statistics.received.data) {
        held->job.next = 0;
        if (run_job(&held->job, held->kernel->receive[held->is_double], threads, seconds)) return NULL;
    }
    Py_RETURN_NONE;
}
