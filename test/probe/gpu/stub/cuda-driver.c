// A stand-in for NVIDIA's driver library and cuBLASLt, for tests without a device. "Device" memory is memory of the host; a
// launch reads it as the real kernel would; time is counted, not measured: each launch, copy and product takes 1 ms.
// What is done again with the same arguments has its result already, and for a large product only the entries that the probe
// looks at are made: so that a test may run with the settings of a real device.
// The environment says what goes wrong: STUB_FAIL "cuInit=100,cublasLtCreate=1", STUB_HANG and STUB_CRASH a function's name,
// STUB_LIE "read" or "product" for wrong results, STUB_LOG a file that gets one line a call.
// Exported names and types are those of the libraries, written out by hand: no toolkit is needed to build this.

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t handle;

static int called(const char *name) {
  const char *log = getenv("STUB_LOG");
  if (log != NULL) {
    FILE *file = fopen(log, "a");
    fprintf(file, "%s\n", name);
    fclose(file);
  }
  const char *hang = getenv("STUB_HANG");
  if (hang != NULL && strcmp(hang, name) == 0)
    for (;;) pause();
  const char *crash = getenv("STUB_CRASH");
  if (crash != NULL && strcmp(crash, name) == 0) raise(SIGSEGV);
  const char *fail = getenv("STUB_FAIL");
  size_t length = strlen(name);
  while (fail != NULL && *fail != 0) {
    if (strncmp(fail, name, length) == 0 && fail[length] == '=') return atoi(fail + length + 1);
    fail = strchr(fail, ',');
    if (fail != NULL) fail++;
  }
  return 0;
}

static int lies(const char *about) {
  const char *lie = getenv("STUB_LIE");
  return lie != NULL && strcmp(lie, about) == 0;
}

static double clock_ms = 0;

#define CALL(name)                  \
  int failure = called(#name);      \
  if (failure != 0) return failure;

int cuInit(uint32_t flags) { CALL(cuInit) return flags; }
int cuDriverGetVersion(int32_t *version) {
  CALL(cuDriverGetVersion)
  const char *asked = getenv("STUB_DRIVER_VERSION");
  *version = asked == NULL ? 13000 : atoi(asked);
  return 0;
}
int cuGetErrorName(int32_t code, const char **name) {
  *name = code == 100 ? "CUDA_ERROR_NO_DEVICE" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_STUB";
  return 0;
}
int cuDeviceGetCount(int32_t *count) { CALL(cuDeviceGetCount) *count = 1; return 0; }
int cuDeviceGet(int32_t *device, int32_t index) { CALL(cuDeviceGet) *device = index; return 0; }
int cuDeviceGetName(uint8_t *name, int32_t length, int32_t device) {
  CALL(cuDeviceGetName)
  snprintf((char *)name, length, "Stub %d GB", 100 + device);
  return 0;
}
int cuDeviceGetPCIBusId(uint8_t *text, int32_t length, int32_t device) {
  CALL(cuDeviceGetPCIBusId)
  snprintf((char *)text, length, "0000:C1:00.%d", device);
  return 0;
}
int cuDeviceGetUuid_v2(uint8_t *uuid, int32_t device) {
  CALL(cuDeviceGetUuid_v2)
  for (int at = 0; at < 16; at++) uuid[at] = (uint8_t)(at + 16 * device);
  return 0;
}
int cuDeviceGetAttribute(int32_t *value, int32_t attribute, int32_t device) {
  CALL(cuDeviceGetAttribute)
  const char *mode = getenv("STUB_COMPUTE_MODE");
  *value = attribute == 16 ? 4 : attribute == 38 ? 1 << 20 : attribute == 20 && mode != NULL ? atoi(mode) : 0;
  return device;
}
int cuDevicePrimaryCtxSetFlags_v2(int32_t device, uint32_t flags) {
  CALL(cuDevicePrimaryCtxSetFlags_v2)
  return flags == 4 ? device : 1;
}
// Past 2^53: a handle that a double cannot hold.
static const handle CONTEXT = 0x7fff123456789abdULL;
int cuDevicePrimaryCtxRetain(handle *context, int32_t device) {
  CALL(cuDevicePrimaryCtxRetain)
  *context = CONTEXT;
  return device;
}
int cuCtxSetCurrent(handle context) { CALL(cuCtxSetCurrent) return context == CONTEXT ? 0 : 201; }
int cuCtxSynchronize(void) { CALL(cuCtxSynchronize) return 0; }
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  CALL(cuMemGetInfo_v2)
  const char *asked = getenv("STUB_FREE_MIB");
  *free_bytes = (size_t)(asked == NULL ? 512 : atoi(asked)) << 20;
  *total = (size_t)1 << 30;
  return 0;
}
int cuMemAlloc_v2(handle *address, size_t bytes) {
  CALL(cuMemAlloc_v2)
  *address = (handle)(uintptr_t)malloc(bytes);
  return *address == 0 ? 2 : 0;
}
int cuMemFree_v2(handle address) { CALL(cuMemFree_v2) free((void *)(uintptr_t)address); return 0; }
int cuMemcpyHtoD_v2(handle sink, const void *source, size_t bytes) {
  CALL(cuMemcpyHtoD_v2)
  memcpy((void *)(uintptr_t)sink, source, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *sink, handle source, size_t bytes) {
  CALL(cuMemcpyDtoH_v2)
  memcpy(sink, (void *)(uintptr_t)source, bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(handle sink, handle source, size_t bytes, handle stream) {
  CALL(cuMemcpyDtoDAsync_v2)
  clock_ms += 1;
  static handle last_sink = 0, last_source = 0;
  if (sink != last_sink || source != last_source) memcpy((void *)(uintptr_t)sink, (void *)(uintptr_t)source, bytes);
  last_sink = sink;
  last_source = source;
  return (int)stream;
}
int cuModuleLoadDataEx(handle *module, const char *image, uint32_t count, const int32_t *options, const handle *values) {
  int failure = called("cuModuleLoadDataEx");
  if (failure != 0) {
    for (uint32_t at = 0; at < count; at++)
      if (options[at] == 5) strcpy((char *)(uintptr_t)values[at], "ptxas fatal: a made-up complaint\nand more");
    return failure;
  }
  *module = 0x1234;
  return strstr(image, ".visible .entry plimsoll_read(") != NULL && image[strlen(image) - 1] == '\n' ? 0 : 218;
}
int cuModuleGetFunction(handle *kernel, handle module, const char *name) {
  CALL(cuModuleGetFunction)
  *kernel = 0x5678;
  return module == 0x1234 && strcmp(name, "plimsoll_read") == 0 ? 0 : 500;
}
int cuLaunchKernel(handle kernel, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                   uint32_t shared_bytes, handle stream, const handle *arguments, void *extra) {
  CALL(cuLaunchKernel)
  if (kernel != 0x5678 || gx != 32 || gy != 1 || gz != 1 || bx != 256 || by != 1 || bz != 1 || shared_bytes != 0 ||
      stream != 0 || extra != NULL)
    return 1;
  clock_ms += 1;
  uint32_t *out = (uint32_t *)(uintptr_t) * (handle *)(uintptr_t)arguments[0];
  uint32_t *source = (uint32_t *)(uintptr_t) * (handle *)(uintptr_t)arguments[1];
  handle bytes = *(handle *)(uintptr_t)arguments[2];
  static uint32_t *last_out = NULL;
  if (out == last_out) return 0;
  last_out = out;
  // The same walk over memory as the kernel's, so that an address computed wrongly shows here.
  uint64_t stride = (uint64_t)gx * bx * 64;
  for (uint32_t block = 0; block < gx; block++)
    for (uint32_t thread = 0; thread < bx; thread++) {
      uint32_t sum = 0;
      for (uint64_t at = ((uint64_t)block * bx * 4 + thread) * 16; at < bytes; at += stride)
        for (int load = 0; load < 4; load++)
          for (int word = 0; word < 4; word++) sum ^= source[(at + (uint64_t)load * bx * 16) / 4 + word];
      out[block * bx + thread] = sum;
    }
  if (lies("read")) out[7] ^= 1;
  return 0;
}
int cuEventCreate(handle *event, uint32_t flags) {
  CALL(cuEventCreate)
  *event = (handle)(uintptr_t)calloc(1, sizeof(double));
  return flags == 1 ? 0 : 1;
}
int cuEventRecord(handle event, handle stream) {
  CALL(cuEventRecord)
  *(double *)(uintptr_t)event = clock_ms;
  return (int)stream;
}
int cuEventSynchronize(handle event) { CALL(cuEventSynchronize) return event == 0; }
int cuEventElapsedTime(float *ms, handle from, handle to) {
  CALL(cuEventElapsedTime)
  *ms = (float)(*(double *)(uintptr_t)to - *(double *)(uintptr_t)from);
  return 0;
}
int cuEventDestroy_v2(handle event) { CALL(cuEventDestroy_v2) free((void *)(uintptr_t)event); return 0; }

// cuBLASLt

struct layout { int32_t type; uint64_t rows, columns; };
static struct layout layouts[64];
static int layout_count = 0;
static const handle FIRST_LAYOUT = 0x300;
static int32_t computes[64];
static int description_count = 0;
static const handle FIRST_DESCRIPTION = 0x200;

static struct layout *layout_of(handle made) {
  return made < FIRST_LAYOUT || made >= FIRST_LAYOUT + (handle)layout_count ? NULL : &layouts[made - FIRST_LAYOUT];
}
static int32_t compute_of(handle made) {
  return made < FIRST_DESCRIPTION || made >= FIRST_DESCRIPTION + (handle)description_count
             ? 0
             : computes[made - FIRST_DESCRIPTION];
}

size_t cublasLtGetVersion(void) { return 130101; }
int cublasLtCreate(handle *made) { CALL(cublasLtCreate) *made = 0x11; return 0; }
int cublasLtMatmulDescCreate(handle *made, int32_t compute, int32_t scale) {
  CALL(cublasLtMatmulDescCreate)
  computes[description_count] = compute;
  *made = FIRST_DESCRIPTION + (handle)description_count++;
  return (compute == 68 && scale == 0) || (compute == 72 && scale == 10) ? 0 : 7;
}
int cublasLtMatmulDescSetAttribute(handle description, int32_t attribute, const int32_t *value, size_t bytes) {
  CALL(cublasLtMatmulDescSetAttribute)
  return compute_of(description) != 0 && attribute == 3 && bytes == 4 && *value == 1 ? 0 : 7;
}
int cublasLtMatrixLayoutCreate(handle *made, int32_t type, uint64_t rows, uint64_t columns, int64_t leading) {
  CALL(cublasLtMatrixLayoutCreate)
  layouts[layout_count] = (struct layout){type, rows, columns};
  *made = FIRST_LAYOUT + (handle)layout_count++;
  return (int64_t)rows == leading ? 0 : 7;
}
// Inputs are alike and meet in their depth; the result is of the type that goes with them.
static int fits(handle description, handle a, handle b, handle c, handle d) {
  struct layout *left = layout_of(a), *right = layout_of(b), *product = layout_of(d);
  if (left == NULL || right == NULL || product == NULL || c != d) return 0;
  int32_t wanted = left->type == 3 ? 10 : 2, compute = left->type == 3 ? 72 : 68;
  return left->type == right->type && (left->type == 2 || left->type == 3 || left->type == 28) &&
         product->type == wanted && compute_of(description) == compute && left->rows == right->rows &&
         product->rows == left->columns && product->columns == right->columns;
}
int cublasLtMatmulPreferenceCreate(handle *made) { CALL(cublasLtMatmulPreferenceCreate) *made = 0x44; return 0; }
int cublasLtMatmulPreferenceSetAttribute(handle preference, int32_t attribute, const uint64_t *value, size_t bytes) {
  CALL(cublasLtMatmulPreferenceSetAttribute)
  return preference == 0x44 && attribute == 1 && bytes == 8 && *value == 32 << 20 ? 0 : 7;
}
// Three ways: the first is refused by its state, the second is slow, the third is fast.
int cublasLtMatmulAlgoGetHeuristic(handle made, handle description, handle a, handle b, handle c, handle d,
                                   handle preference, int32_t wanted, uint8_t *results, int32_t *got) {
  CALL(cublasLtMatmulAlgoGetHeuristic)
  if (made != 0x11 || !fits(description, a, b, c, d) || preference != 0x44) return 7;
  const char *without = getenv("STUB_WITHOUT_FP8");
  if (without != NULL && layout_of(a)->type == 28) return 15;
  memset(results, 0, (size_t)wanted * 96);
  for (int way = 0; way < 3; way++) {
    results[96 * way] = (uint8_t)(10 + way);
    *(int32_t *)(results + 96 * way + 72) = way == 0 ? 15 : 0;
  }
  *got = 3;
  return 0;
}

static float of_half(uint16_t bits) {
  float size = (1 + (bits & 0x3ff) / 1024.0f) / 2; // the exponent of every input is that of 0.5
  return bits & 0x8000 ? -size : size;
}

static uint16_t to_half(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint32_t sign = (bits >> 16) & 0x8000;
  int32_t exponent = (int32_t)((bits >> 23) & 0xff) - 127 + 15;
  if (exponent <= 0) return (uint16_t)sign;
  return (uint16_t)(sign | ((uint32_t)exponent << 10) | ((bits >> 13) & 0x3ff));
}

static float input_of(const void *matrix, int32_t type, uint64_t at) {
  if (type == 2) return of_half(((const uint16_t *)matrix)[at]);
  if (type == 3) return ((const int8_t *)matrix)[at];
  uint8_t bits = ((const uint8_t *)matrix)[at];
  float size = (1 + (bits & 0x07) / 8.0f) / 2; // the exponent of every input is that of 0.5
  return bits & 0x80 ? -size : size;
}

int cublasLtMatmul(handle made, handle description, const void *alpha, handle a, handle layout_a, handle b,
                   handle layout_b, const void *beta, handle c, handle layout_c, handle d, handle layout_d,
                   const uint8_t *algorithm, handle workspace, size_t workspace_bytes, handle stream) {
  CALL(cublasLtMatmul)
  if (made != 0x11 || !fits(description, layout_a, layout_b, layout_c, layout_d) || c != d || workspace == 0 ||
      workspace_bytes != 32 << 20 || stream != 0)
    return 7;
  struct layout *left = layout_of(layout_a), *result = layout_of(layout_d);
  if (left->type == 3 ? *(const int32_t *)alpha != 1 || *(const int32_t *)beta != 0
                      : *(const float *)alpha != 1 || *(const float *)beta != 0)
    return 7;
  clock_ms += algorithm[0] == 12 ? 1 : 5;
  static handle done = 0;
  if (done == layout_d) return 0;
  done = layout_d;
  uint64_t rows = result->rows, columns = result->columns, depth = left->rows;
  uint64_t samples = rows * columns > 512 * 512 || columns == 1 ? 16 : rows * columns;
  for (uint64_t sample = 0; sample < samples; sample++) {
    uint64_t row = samples == 16 ? sample * 7919 % rows : sample / columns;
    uint64_t column = samples == 16 ? (sample * 104729 + sample) % columns : sample % columns;
    float sum = lies("product") ? 9 : 0;
    for (uint64_t step = 0; step < depth; step++)
      sum += input_of((void *)(uintptr_t)a, left->type, row * depth + step) *
             input_of((void *)(uintptr_t)b, left->type, column * depth + step);
    if (left->type == 3) ((int32_t *)(uintptr_t)d)[column * rows + row] = (int32_t)sum;
    else ((uint16_t *)(uintptr_t)d)[column * rows + row] = to_half(sum);
  }
  return 0;
}
