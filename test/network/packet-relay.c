/* A long cable between two network namespaces: a TUN device in each, and packets carried from one to the other by this process, late
 * and at a rate. Per direction: a bottleneck of so many bits a second behind a queue of so many bytes (what does not fit is
 * dropped), then a delay, and a share of packets lost by a seeded generator. Where the kernel has netem this is netem; many have
 * none.
 *
 *   packet-relay NETNS TUN NETNS TUN  RATE DELAY_US QUEUE_BYTES LOST_PPM SEED  RATE DELAY_US QUEUE_BYTES LOST_PPM SEED
 *
 * The first five numbers are of the way from the first namespace to the second. Prints a line when the devices are there, and on
 * the end of its input a line of JSON for each way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PACKET_MAX = 1600, FLYING_MAX = 32768 };

struct packet {
  int64_t due_ns;
  int32_t length;
  unsigned char bytes[PACKET_MAX];
};

struct way {
  int from, to;
  double rate_bits;
  int64_t delay_ns, queue_bytes;
  uint32_t lost_ppm;
  uint64_t random;
  /* When the bottleneck has sent what it was given. */
  int64_t free_ns;
  struct packet *flying;
  uint32_t head, tail;
  uint64_t packets, bytes, full, lost, refused;
  int64_t late_ns_max, queue_bytes_max;
};

static int64_t now_ns(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static int open_tun(const char *netns, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", netns);
  int space = open(path, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) < 0) fail(path);
  close(space);
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0) fail("/dev/net/tun");
  struct ifreq request = {0};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  snprintf(request.ifr_name, IFNAMSIZ, "%s", name);
  if (ioctl(tun, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
  return tun;
}

/* xorshift64*: Vigna, ACM TOMS 42(4), 2016. */
static uint32_t draw_ppm(struct way *way) {
  way->random ^= way->random >> 12;
  way->random ^= way->random << 25;
  way->random ^= way->random >> 27;
  return (uint32_t)(((way->random * UINT64_C(2685821657736338717)) >> 33) % 1000000);
}

static void take(struct way *way) {
  for (;;) {
    uint32_t next = (way->head + 1) % FLYING_MAX;
    unsigned char over[PACKET_MAX];
    struct packet *packet = &way->flying[way->head];
    int is_full = next == way->tail;
    ssize_t length = read(way->from, is_full ? over : packet->bytes, PACKET_MAX);
    if (length < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      fail("read");
    }
    int64_t at = now_ns();
    int64_t waiting = way->free_ns > at ? (int64_t)((double)(way->free_ns - at) * way->rate_bits / 8e9) : 0;
    if (waiting > way->queue_bytes_max) way->queue_bytes_max = waiting;
    if (is_full || waiting + length > way->queue_bytes) {
      way->full += 1;
      continue;
    }
    if (way->free_ns < at) way->free_ns = at;
    way->free_ns += (int64_t)((double)length * 8e9 / way->rate_bits);
    if (way->lost_ppm > 0 && draw_ppm(way) < way->lost_ppm) {
      way->lost += 1;
      continue;
    }
    packet->length = (int32_t)length;
    packet->due_ns = way->free_ns + way->delay_ns;
    way->head = next;
  }
}

/* Returns when the next packet is due. */
static int64_t give(struct way *way) {
  while (way->tail != way->head) {
    struct packet *packet = &way->flying[way->tail];
    int64_t late = now_ns() - packet->due_ns;
    if (late < 0) return packet->due_ns;
    if (late > way->late_ns_max) way->late_ns_max = late;
    if (write(way->to, packet->bytes, (size_t)packet->length) == packet->length) {
      way->packets += 1;
      way->bytes += (uint64_t)packet->length;
    } else
      way->refused += 1;
    way->tail = (way->tail + 1) % FLYING_MAX;
  }
  return INT64_MAX;
}

static void read_way(struct way *way, char **words, int from, int to) {
  way->from = from;
  way->to = to;
  way->rate_bits = atof(words[0]);
  way->delay_ns = atoll(words[1]) * 1000;
  way->queue_bytes = atoll(words[2]);
  way->lost_ppm = (uint32_t)atoll(words[3]);
  way->random = (uint64_t)atoll(words[4]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
  way->flying = calloc(FLYING_MAX, sizeof *way->flying);
  if (way->flying == NULL || way->rate_bits <= 0) fail("a way");
}

static void tell(const struct way *way) {
  printf("{\"packets\":%llu,\"bytes\":%llu,\"dropped\":%llu,\"lost\":%llu,\"refused\":%llu,\"queueBytesMax\":%lld,\"lateUsMax\":%lld}\n",
         (unsigned long long)way->packets, (unsigned long long)way->bytes, (unsigned long long)way->full,
         (unsigned long long)way->lost, (unsigned long long)way->refused, (long long)way->queue_bytes_max,
         (long long)way->late_ns_max / 1000);
}

int main(int count, char **words) {
  if (count != 15) {
    fprintf(stderr, "packet-relay wants 14 words\n");
    return 2;
  }
  int one = open_tun(words[1], words[2]), other = open_tun(words[3], words[4]);
  static struct way there, back;
  read_way(&there, words + 5, one, other);
  read_way(&back, words + 10, other, one);
  setpriority(PRIO_PROCESS, 0, -15); /* Its lateness is the cable's; where this is refused a busy machine has a worse cable. */
  printf("{\"kind\":\"ready\"}\n");
  fflush(stdout);
  struct pollfd ready[3] = {{one, POLLIN, 0}, {other, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  for (;;) {
    int64_t due = give(&there), due_back = give(&back);
    if (due_back < due) due = due_back;
    int64_t wait = due == INT64_MAX ? 1000000000 : due - now_ns();
    if (wait < 0) wait = 0;
    struct timespec span = {wait / 1000000000, wait % 1000000000};
    if (ppoll(ready, 3, &span, NULL) < 0 && errno != EINTR) fail("ppoll");
    if (ready[2].revents != 0) break;
    if (ready[0].revents & POLLIN) take(&there);
    if (ready[1].revents & POLLIN) take(&back);
  }
  tell(&there);
  tell(&back);
  return 0;
}
