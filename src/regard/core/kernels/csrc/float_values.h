/* Values and output of a positional head: floats (narrow) or doubles in memory, doubles in between.
 *
 * Included once for each instruction set, for double alone.
 */

typedef float NAME(few) __attribute__((vector_size(VECTOR_BYTES / 2)));

INLINE vec NAME(read)(const char *p, const int narrow) {
    if (!narrow) return NAME(load)((const double *)p);
#if INTRINSICS == 512
    return (vec)_mm512_cvtps_pd(_mm256_loadu_ps((const float *)p));
#elif INTRINSICS == 256
    return (vec)_mm256_cvtps_pd(_mm_loadu_ps((const float *)p));
#else
    NAME(few) x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vec);
#endif
}

INLINE void NAME(write)(char *p, vec x, const int narrow) {
    if (!narrow) {
        NAME(store)((double *)p, x);
        return;
    }
    NAME(few) rounded = __builtin_convertvector(x, NAME(few));
    memcpy(p, &rounded, sizeof rounded);
}

/* One number. */
INLINE double NAME(read_one)(const char *p, const int narrow) {
    return narrow ? *(const float *)p : *(const double *)p;
}

INLINE void NAME(write_one)(char *p, double x, const int narrow) {
    if (narrow) *(float *)p = (float)x;
    else *(double *)p = x;
}
