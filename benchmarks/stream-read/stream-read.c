// What a compiler's best reading loop gets from memory: the yardstick of the memory probe. Every thread sums its own array of
// 64-bit words in huge pages, all start together, and each goes on until all have finished.
// Usage: stream-read THREADS MIB_PER_THREAD ROUNDS MILLISECONDS. Prints the bytes a second of each round, one a line.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define THREADS_MAX 1024

static int threads, rounds;
static double seconds;
static size_t words;
static pthread_barrier_t barrier;
static atomic_int finished;
static double rates[THREADS_MAX];
static volatile uint64_t sink;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void read_all(const uint64_t *array) {
  uint64_t sum = 0;
  for (size_t at = 0; at < words; at++) sum += array[at];
  sink = sum;
}

static void *run(void *argument) {
  long thread = (long)argument;
  uint64_t *array = mmap(NULL, words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (array == MAP_FAILED) exit(2);
  madvise(array, words * 8, MADV_HUGEPAGE);
  for (size_t at = 0; at < words; at++) array[at] = at;
  read_all(array);
  for (int round = 0; round < rounds; round++) {
    pthread_barrier_wait(&barrier);
    double started = now(), elapsed;
    uint64_t passes = 0;
    do {
      read_all(array);
      passes++;
      elapsed = now() - started;
    } while (elapsed < seconds);
    rates[thread] = (double)passes * (double)words * 8 / elapsed;
    atomic_fetch_add(&finished, 1);
    while (atomic_load(&finished) < threads * (round + 1)) read_all(array);
    pthread_barrier_wait(&barrier);
    if (thread == 0) {
      double sum = 0;
      for (int other = 0; other < threads; other++) sum += rates[other];
      printf("%.0f\n", sum);
    }
  }
  return NULL;
}

int main(int count, char **values) {
  if (count != 5) return 1;
  threads = atoi(values[1]);
  words = (size_t)atol(values[2]) * 1024 * 1024 / 8;
  rounds = atoi(values[3]);
  seconds = atoi(values[4]) / 1000.0;
  if (threads < 1 || threads > THREADS_MAX || words == 0 || rounds < 1) return 1;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  pthread_t handles[THREADS_MAX];
  for (long thread = 0; thread < threads; thread++) pthread_create(&handles[thread], NULL, run, (void *)thread);
  for (int thread = 0; thread < threads; thread++) pthread_join(handles[thread], NULL);
  return 0;
}
