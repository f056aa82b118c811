/* Vectors of REAL for one instruction set, exp2 and tanh.
 *
 * Included by tile.h once for each REAL and each instruction set, so it has no guard. The types
 * are GCC's and clang's own vectors: `scalar * vector + vector` becomes a broadcast from memory
 * folded into a fused multiply-add. Only what the compilers do badly is an intrinsic.
 */

#define LANES (VECTOR_BYTES / REAL_BYTES)
#define vec NAME(vec)
#define ivec NAME(ivec)
#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline)) /* compiled once: the same bits wherever it is used */

#define LOWEST ((REAL)-BIAS)
#define ROUND ((REAL)((3ll << (MANTISSA - 1)) + BIAS)) /* 1.5 · 2^MANTISSA + BIAS */

_Static_assert(sizeof(REAL) == REAL_BYTES && sizeof(INT) == REAL_BYTES, "lanes of both kinds are alike");
_Static_assert(sizeof EXP2 / sizeof *EXP2 == EXP2_TERMS, "the loop over coefficients meets each");
_Static_assert(sizeof TANH / sizeof *TANH == TANH_TERMS, "the loop over coefficients meets each");

typedef REAL vec __attribute__((vector_size(VECTOR_BYTES)));
typedef INT ivec __attribute__((vector_size(VECTOR_BYTES)));

INLINE vec NAME(load)(const REAL *p) {
    vec x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE void NAME(store)(REAL *p, vec x) { memcpy(p, &x, sizeof x); }

/* Not `x + (vec){0}`: that is an addition, because -0 + 0 is +0. */
INLINE vec NAME(all)(REAL x) { return x - (vec){0}; }

/* yes where all bits are set, no where none is. */
INLINE vec NAME(choose)(ivec where, vec yes, vec no) {
#if INTRINSICS == 256
    return sizeof(REAL) == 4 ? (vec)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)where)
                             : (vec)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)where);
#else
    return (vec)(((ivec)yes & where) | ((ivec)no & ~where));
#endif
}

/* The larger of two; b if one of them is NaN. */
INLINE vec NAME(larger)(vec a, vec b) {
#if INTRINSICS == 512
    return sizeof(REAL) == 4 ? (vec)_mm512_max_ps((__m512)a, (__m512)b)
                             : (vec)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif INTRINSICS == 256
    return sizeof(REAL) == 4 ? (vec)_mm256_max_ps((__m256)a, (__m256)b)
                             : (vec)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return NAME(choose)((ivec)(a > b), a, b);
#endif
}

/* The lanes in which a > b, a bit each. */
INLINE unsigned NAME(above)(vec a, vec b) {
#if INTRINSICS == 512
    return sizeof(REAL) == 4 ? _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ)
                             : _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
#elif INTRINSICS == 256
    ivec where = (ivec)(a > b);
    return (unsigned)(sizeof(REAL) == 4 ? _mm256_movemask_ps((__m256)where) : _mm256_movemask_pd((__m256d)where));
#else
    ivec where = (ivec)(a > b);
    unsigned bits = 0;
    for (int i = 0; i < LANES; i++) bits |= (unsigned)(where[i] & 1) << i;
    return bits;
#endif
}

/* All bits where the byte is 0. */
INLINE ivec NAME(where_zero)(const unsigned char *bytes) {
#if INTRINSICS == 512
    ivec x = sizeof(REAL) == 4 ? (ivec)_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)bytes))
                               : (ivec)_mm512_cvtepi8_epi64(_mm_loadl_epi64((const void *)bytes));
#elif INTRINSICS == 256
    int four;
    memcpy(&four, bytes, 4);
    ivec x = sizeof(REAL) == 4 ? (ivec)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)bytes))
                               : (ivec)_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four));
#else
    ivec x;
    for (int i = 0; i < LANES; i++) x[i] = bytes[i];
#endif
    return (ivec)(x == (ivec){0});
}

/* The first and the second half of two vectors, entries taken in turns. */
#if LANES == 2
#define ZIP_LOW 0, 2
#define ZIP_HIGH 1, 3
#elif LANES == 4
#define ZIP_LOW 0, 4, 1, 5
#define ZIP_HIGH 2, 6, 3, 7
#elif LANES == 8
#define ZIP_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define ZIP_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define ZIP_LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ZIP_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif

/* Turn rows into columns. Zipping row i with row i + LANES / 2 moves one bit of the row number
 * to the column number; after all bits have moved, the two have changed places. */
INLINE void NAME(turn)(vec row[LANES]) {
    for (int n = 1; n < LANES; n *= 2) {
        vec next[LANES];
        for (int i = 0; i < LANES / 2; i++) {
            next[2 * i] = __builtin_shufflevector(row[i], row[i + LANES / 2], ZIP_LOW);
            next[2 * i + 1] = __builtin_shufflevector(row[i], row[i + LANES / 2], ZIP_HIGH);
        }
        for (int i = 0; i < LANES; i++) row[i] = next[i];
    }
}

/* to[r] = the sum of the lanes of row r; count is a power of 2. Adding the halves of two zipped rows
 * leaves half as many rows, each with the parts of two. The pairs are those of `turn`, so that the
 * sums come out in order; where rows have more lanes than there are rows, over and over. */
INLINE void NAME(sum_rows)(const int count, vec *row, REAL *to) {
    const int most = count < LANES ? count : LANES;
    for (int r = 0; r < count; r += most) {
        for (int n = most / 2; n > 0; n /= 2)
            for (int i = r; i < r + n; i++)
                row[i] = __builtin_shufflevector(row[i], row[i + n], ZIP_LOW) +
                         __builtin_shufflevector(row[i], row[i + n], ZIP_HIGH);
        REAL part[LANES];
        NAME(store)(part, row[r]);
        for (int n = LANES / 2; n >= most; n /= 2)
            for (int i = 0; i < n; i++) part[i] += part[i + n];
        memcpy(to + r, part, (size_t)most * sizeof *to);
    }
}

INLINE REAL NAME(sum)(vec x) {
    REAL sum;
    NAME(sum_rows)(1, &x, &sum);
    return sum;
}

INLINE REAL NAME(largest)(vec x) {
    REAL part[LANES];
    NAME(store)(part, x);
    for (int n = LANES / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) part[i] = part[i] > part[i + n] ? part[i] : part[i + n];
    return part[0];
}

/* 2^x for x <= 127 (1023), within 1 ulp; 2^0 is 1; 0 below the normal range; NaN stays NaN.
 *
 * Adding ROUND leaves the nearest whole number n to x, plus the bias of the exponent, in the low
 * bits, and shifting them into place makes 2^n, or 0 for the lowest n. 2^(x-n) is 1 + f P(f) on [-1/2, 1/2], with P of
 * least relative error (2e-9 for float, 3.4e-18 for double).
 */
INLINE vec NAME(exp2)(vec x) {
    x = NAME(larger)(NAME(all)(LOWEST), x); /* in this order, which keeps NaN */
    vec t = x + ROUND;
    vec f = x - (t - ROUND);
    vec power = (vec)((ivec)t << MANTISSA);
    vec p = NAME(all)(EXP2[EXP2_TERMS - 1]);
    for (int i = EXP2_TERMS - 2; i >= 0; i--) p = p * f + EXP2[i];
    return p * (f * power) + power;
}

/* tanh x: x + x³ Q(x²) near 0, 1 - 2 / (1 + e^2x) elsewhere, which would cancel near 0. */
INLINE vec NAME(tanh)(vec x) {
    vec z = x * x;
    vec q = NAME(all)(TANH[TANH_TERMS - 1]);
    for (int i = TANH_TERMS - 2; i >= 0; i--) q = q * z + TANH[i];
    vec small = x + x * z * q;
    ivec negative = (ivec)(x < 0);
    vec size = NAME(choose)(negative, -x, x);
    size = NAME(choose)((ivec)(size > 40), NAME(all)(40), size); /* 1 from there on; keeps NaN */
    vec large = 1 - 2 / (1 + NAME(exp2)(size * (REAL)2.885390081777926815));
    large = NAME(choose)(negative, -large, large);
    return NAME(choose)((ivec)(z < (REAL)0.39), small, large);
}
