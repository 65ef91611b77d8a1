/*
 * The truth for TTFT: a server in C whose own lateness is microseconds, so that what a client reports beyond it is the
 * client's. One thread, epoll, absolute deadlines in a heap. Serves nothing but streams of one shape: the first chunk
 * TTFT after the request was read, then one every GAP, each with the CLOCK_MONOTONIC nanoseconds at which its request was
 * read and at which it was written itself.
 *
 *   truth-server [--port N] [--ttft-us N] [--gap-us N] [--events N] [--event-bytes N] [--fifo] [--log FILE]
 *
 * --log FILE: at its end, for each stream in the order in which they began, u32 sample (the last 8 digits of the first 16
 * hexadecimal ones in its request), u32 count, i64 when its request was read, and count × i64 when each event was written.
 *
 * Prints {"port":N} when it listens, and its own account as one line of JSON on SIGTERM or SIGINT. With --events 0 every
 * request gets a small whole reply at once. --fifo asks for real-time priority and goes on without where it may not have it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  CONNECTIONS_MAX = 16384,
  REQUEST_BYTES_MAX = 65536,
  EVENT_BYTES_MAX = 16384,
  PADDING_BYTES_MAX = 8192,
  READY_MAX = 512,
  STAMP_DIGITS = 20,
  LATENESS_CELLS = 20000, /* of a microsecond each; later than that counts in the last one */
};

struct logged;

struct connection {
  int fd;
  int is_open;
  size_t request_length;
  char *request; /* REQUEST_BYTES_MAX, kept for the next connection with this number */
  int64_t read_ns;
  int64_t due_ns; /* of the next event */
  int events_left; /* 0: no stream */
  int heap_place;
  const char *pending; /* what the kernel did not take of the last write */
  size_t pending_length;
  char *pending_space;
  int is_watching_writes;
  struct logged *log;
};

static struct connection connections[CONNECTIONS_MAX];
static struct connection *heap[CONNECTIONS_MAX];
static int heap_length;
static int epoll_fd;

static int64_t ttft_ns = 50 * 1000 * 1000, gap_ns = 10 * 1000 * 1000;
static int event_count = 100, event_bytes = 280;

static char event_bytes_space[EVENT_BYTES_MAX + 64];
static size_t event_length, read_stamp_at, write_stamp_at;

static int64_t lateness_cells[LATENESS_CELLS];
static int64_t events_written, requests_read, lateness_ns_max, streams_done, clients_gone, writes_short;

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* --- a binary heap of streams by their next deadline ------------------------------------------------------------ */

static void place(struct connection *stream, int at) {
  heap[at] = stream;
  stream->heap_place = at;
}

static void rise(struct connection *stream, int at) {
  while (at > 0 && heap[(at - 1) / 2]->due_ns > stream->due_ns) {
    place(heap[(at - 1) / 2], at);
    at = (at - 1) / 2;
  }
  place(stream, at);
}

static void sink(struct connection *stream, int at) {
  for (;;) {
    int child = 2 * at + 1;
    if (child >= heap_length) break;
    if (child + 1 < heap_length && heap[child + 1]->due_ns < heap[child]->due_ns) child++;
    if (heap[child]->due_ns >= stream->due_ns) break;
    place(heap[child], at);
    at = child;
  }
  place(stream, at);
}

static void heap_add(struct connection *stream) {
  heap_length++;
  rise(stream, heap_length - 1);
}

static void heap_remove(struct connection *stream) {
  int at = stream->heap_place;
  if (at < 0) return;
  stream->heap_place = -1;
  heap_length--;
  if (at == heap_length) return;
  struct connection *moved = heap[heap_length];
  if (at > 0 && heap[(at - 1) / 2]->due_ns > moved->due_ns) rise(moved, at);
  else sink(moved, at);
}

/* --- connections ------------------------------------------------------------------------------------------------- */

static void watch(struct connection *connection, int operation, uint32_t events) {
  struct epoll_event wanted = {.events = events, .data.u32 = (uint32_t)(connection - connections)};
  epoll_ctl(epoll_fd, operation, connection->fd, &wanted);
}

static void drop(struct connection *connection) {
  if (!connection->is_open) return;
  if (connection->events_left > 0) clients_gone++;
  heap_remove(connection);
  connection->is_open = 0;
  connection->events_left = 0;
  close(connection->fd);
}

/* What the kernel does not take waits; a stream whose reader is slow gets its next event only afterwards. */
static int send_all(struct connection *connection, const char *bytes, size_t length) {
  ssize_t sent = send(connection->fd, bytes, length, MSG_NOSIGNAL);
  if (sent == (ssize_t)length) return 1;
  if (sent < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      drop(connection);
      return 0;
    }
    sent = 0;
  }
  writes_short++;
  connection->pending_length = length - (size_t)sent;
  memcpy(connection->pending_space, bytes + sent, connection->pending_length);
  connection->pending = connection->pending_space;
  watch(connection, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  return 0;
}

static void flush(struct connection *connection) {
  ssize_t sent = send(connection->fd, connection->pending, connection->pending_length, MSG_NOSIGNAL);
  if (sent < 0) {
    if (errno != EAGAIN && errno != EINTR) drop(connection);
    return;
  }
  connection->pending += sent;
  connection->pending_length -= (size_t)sent;
  if (connection->pending_length > 0) return;
  watch(connection, EPOLL_CTL_MOD, EPOLLIN);
  if (connection->events_left > 0) heap_add(connection);
}

/* --- replies ----------------------------------------------------------------------------------------------------- */

static const char HEAD[] =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
static const char FINISH[] =
    "data: {\"id\":\"truth\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"truth\",\"choices\":[{\"index\":0,"
    "\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":%d,\"total_tokens\":%d}}\n\n";
static const char DONE[] = "data: [DONE]\n\n";
static const char MODELS[] = "{\"object\":\"list\",\"data\":[{\"id\":\"truth\",\"object\":\"model\",\"created\":0}]}";
static const char SMALL[] =
    "{\"id\":\"truth\",\"object\":\"chat.completion\",\"created\":0,\"model\":\"truth\",\"choices\":[{\"index\":0,\"message\":"
    "{\"role\":\"assistant\",\"content\":\"so it is\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,"
    "\"completion_tokens\":3,\"total_tokens\":4}}";

/* vllm-bench asks how many tokens its prompts have, and goes on without an answer. */
static const char NOT_HERE[] = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

static char closing[1024], small_reply[1024], models_reply[1024];
static size_t closing_length, small_length, models_length;

static size_t whole_reply(char *into, size_t size, const char *body) {
  return (size_t)snprintf(into, size, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n%s",
                          strlen(body), body);
}

/* One HTTP chunk with one event, padded to event_bytes; both stamps have places of their own in it. */
static void build_event(void) {
  char event[EVENT_BYTES_MAX];
  char padding[PADDING_BYTES_MAX + 1];
  const char *shape =
      "data: {\"id\":\"truth\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"truth\",\"choices\":[{\"index\":0,"
      "\"delta\":{\"content\":\" so\"},\"finish_reason\":null}],\"plimsoll\":{\"readNs\":\"%020d\",\"writeNs\":\"%020d\"},"
      "\"padding\":\"%s\"}\n\n";
  int bare = snprintf(event, sizeof event, shape, 0, 0, "");
  int missing = event_bytes > bare ? event_bytes - bare : 0;
  if (missing > PADDING_BYTES_MAX) missing = PADDING_BYTES_MAX;
  memset(padding, 'x', (size_t)missing);
  padding[missing] = 0;
  snprintf(event, sizeof event, shape, 0, 0, padding);
  event_length = (size_t)snprintf(event_bytes_space, sizeof event_bytes_space, "%zx\r\n%s\r\n", strlen(event), event);
  read_stamp_at = (size_t)(strstr(event_bytes_space, "readNs\":\"") - event_bytes_space) + 9;
  write_stamp_at = (size_t)(strstr(event_bytes_space, "writeNs\":\"") - event_bytes_space) + 10;
  /* A token each event: clients that count by usage must know as much as those that count events. */
  char finish[512];
  snprintf(finish, sizeof finish, FINISH, event_count, event_count + 1);
  closing_length = (size_t)snprintf(closing, sizeof closing, "%zx\r\n%s\r\n%zx\r\n%s\r\n0\r\n\r\n", strlen(finish), finish,
                                    strlen(DONE), DONE);
  small_length = whole_reply(small_reply, sizeof small_reply, SMALL);
  models_length = whole_reply(models_reply, sizeof models_reply, MODELS);
}

/* --- the log of stamps ------------------------------------------------------------------------------------------- */

struct logged {
  uint32_t sample, count;
  int64_t read_ns;
  int64_t write_ns[];
};

static const char *log_path;
static struct logged **logged;
static size_t logged_length, logged_space;

static uint32_t sample_of(const struct connection *connection) {
  char *body = memmem(connection->request, connection->request_length, "\r\n\r\n", 4);
  const char *end = connection->request + connection->request_length;
  int digits = 0;
  for (const char *at = body; body != NULL && at < end; at++) {
    digits = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f') ? digits + 1 : 0;
    if (digits < 16) continue;
    char text[9] = {0};
    memcpy(text, at - 7, 8);
    return (uint32_t)strtoul(text, NULL, 16);
  }
  return UINT32_MAX;
}

static struct logged *log_stream(const struct connection *connection) {
  if (log_path == NULL) return NULL;
  if (logged_length == logged_space) {
    logged_space = logged_space == 0 ? 1024 : 2 * logged_space;
    logged = realloc(logged, logged_space * sizeof *logged);
  }
  struct logged *one = malloc(sizeof *one + (size_t)event_count * sizeof one->write_ns[0]);
  if (logged == NULL || one == NULL) exit(1);
  one->sample = sample_of(connection);
  one->count = 0;
  one->read_ns = connection->read_ns;
  logged[logged_length++] = one;
  return one;
}

static void write_log(void) {
  FILE *file = log_path == NULL ? NULL : fopen(log_path, "wb");
  if (file == NULL) return;
  for (size_t at = 0; at < logged_length; at++)
    fwrite(logged[at], sizeof **logged + logged[at]->count * sizeof logged[at]->write_ns[0], 1, file);
  fclose(file);
}

static void stamp(char *at, int64_t ns) {
  for (int digit = STAMP_DIGITS - 1; digit >= 0; digit--) {
    at[digit] = (char)('0' + ns % 10);
    ns /= 10;
  }
}

static void write_event(struct connection *stream) {
  int64_t write_ns = now_ns();
  int64_t late_ns = write_ns - stream->due_ns;
  int64_t cell = late_ns / 1000;
  lateness_cells[cell < LATENESS_CELLS ? cell : LATENESS_CELLS - 1]++;
  if (late_ns > lateness_ns_max) lateness_ns_max = late_ns;
  events_written++;
  stream->events_left--;
  stream->due_ns += gap_ns;
  stamp(event_bytes_space + read_stamp_at, stream->read_ns);
  stamp(event_bytes_space + write_stamp_at, write_ns);
  if (stream->log != NULL) stream->log->write_ns[stream->log->count++] = write_ns;
  int is_last = stream->events_left == 0;
  if (!is_last) {
    sink(stream, stream->heap_place);
    if (!send_all(stream, event_bytes_space, event_length) && stream->is_open) heap_remove(stream);
    return;
  }
  heap_remove(stream);
  streams_done++;
  static char last[EVENT_BYTES_MAX + 2048];
  memcpy(last, event_bytes_space, event_length);
  memcpy(last + event_length, closing, closing_length);
  send_all(stream, last, event_length + closing_length);
}

static void begin(struct connection *connection) {
  requests_read++;
  const char *line_end = memchr(connection->request, '\r', connection->request_length);
  if (memmem(connection->request, (size_t)(line_end - connection->request), "/tokenize", 9) != NULL) {
    send_all(connection, NOT_HERE, sizeof NOT_HERE - 1);
    return;
  }
  if (memmem(connection->request, (size_t)(line_end - connection->request), "/v1/models", 10) != NULL) {
    send_all(connection, models_reply, models_length);
    return;
  }
  if (event_count == 0) {
    send_all(connection, small_reply, small_length);
    return;
  }
  connection->events_left = event_count;
  connection->log = log_stream(connection);
  connection->due_ns = connection->read_ns + ttft_ns;
  if (send_all(connection, HEAD, sizeof HEAD - 1)) heap_add(connection);
}

/* --- requests ---------------------------------------------------------------------------------------------------- */

/* Bytes of the whole request at the start of the buffer, 0 when some are missing, -1 when it is none. */
static long request_bytes(const struct connection *connection) {
  char *end = memmem(connection->request, connection->request_length, "\r\n\r\n", 4);
  if (end == NULL) return connection->request_length == REQUEST_BYTES_MAX ? -1 : 0;
  size_t head = (size_t)(end - connection->request) + 4;
  size_t body = 0;
  for (char *line = connection->request; line < end;) {
    char *line_end = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
    if (line_end == NULL) break;
    if (line_end - line > 15 && strncasecmp(line, "content-length:", 15) == 0) {
      char *digit = line + 15;
      while (digit < line_end && *digit == ' ') digit++;
      for (; digit < line_end && *digit >= '0' && *digit <= '9' && body <= REQUEST_BYTES_MAX; digit++)
        body = body * 10 + (size_t)(*digit - '0');
    }
    line = line_end + 2;
  }
  if (head + body > REQUEST_BYTES_MAX) return -1;
  return head + body <= connection->request_length ? (long)(head + body) : 0;
}

static void read_requests(struct connection *connection) {
  size_t space = REQUEST_BYTES_MAX - connection->request_length;
  ssize_t received = space == 0 ? 0 : recv(connection->fd, connection->request + connection->request_length, space, 0);
  int64_t read_ns = now_ns();
  if (received <= 0) {
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
    drop(connection);
    return;
  }
  connection->request_length += (size_t)received;
  while (connection->is_open && connection->request_length > 0) {
    long length = request_bytes(connection);
    if (length == 0) return;
    /* A second request before the first is answered is no business of this server. */
    if (length < 0 || connection->events_left > 0 || connection->pending_length > 0) {
      drop(connection);
      return;
    }
    connection->read_ns = read_ns;
    begin(connection);
    connection->request_length -= (size_t)length;
    memmove(connection->request, connection->request + length, connection->request_length);
  }
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    struct connection *connection = NULL;
    for (int index = 0; index < CONNECTIONS_MAX && connection == NULL; index++)
      if (!connections[index].is_open) connection = &connections[index];
    if (connection == NULL) {
      close(fd);
      continue;
    }
    if (connection->request == NULL) connection->request = malloc(REQUEST_BYTES_MAX);
    if (connection->pending_space == NULL) connection->pending_space = malloc(EVENT_BYTES_MAX + 2048);
    if (connection->request == NULL || connection->pending_space == NULL) {
      close(fd);
      continue;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->fd = fd;
    connection->is_open = 1;
    connection->request_length = 0;
    connection->events_left = 0;
    connection->pending_length = 0;
    connection->heap_place = -1;
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
  }
}

/* --- the account ------------------------------------------------------------------------------------------------- */

static double lateness_us(double share) {
  int64_t wanted = (int64_t)(share * (double)events_written + 0.5), seen = 0;
  if (wanted < 1) wanted = 1;
  for (int cell = 0; cell < LATENESS_CELLS; cell++) {
    seen += lateness_cells[cell];
    if (seen >= wanted) return cell + 1;
  }
  return LATENESS_CELLS;
}

static void tell(int64_t started_ns, int is_fifo) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  double cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
  printf("{\"requests\":%ld,\"streams\":%ld,\"events\":%ld,\"clientsGone\":%ld,\"shortWrites\":%ld,"
         "\"latenessUs\":{\"p50\":%.0f,\"p99\":%.0f,\"p999\":%.0f,\"max\":%.1f},\"cpuSeconds\":%.3f,\"seconds\":%.3f,\"fifo\":%s}\n",
         (long)requests_read, (long)streams_done, (long)events_written, (long)clients_gone, (long)writes_short,
         events_written == 0 ? 0 : lateness_us(0.5), events_written == 0 ? 0 : lateness_us(0.99),
         events_written == 0 ? 0 : lateness_us(0.999), (double)lateness_ns_max / 1000, cpu,
         (double)(now_ns() - started_ns) / 1e9, is_fifo ? "true" : "false");
  fflush(stdout);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static long number(const char *text, const char *option, long max) {
  char *end;
  long value = text == NULL ? -1 : strtol(text, &end, 10);
  if (text == NULL || *end != 0 || value < 0 || value > max) {
    fprintf(stderr, "%s needs a number from 0 to %ld\n", option, max);
    exit(2);
  }
  return value;
}

static int listen_on(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4096) < 0) {
    fprintf(stderr, "cannot listen on 127.0.0.1, port %d: %s\n", port, strerror(errno));
    exit(1);
  }
  socklen_t length = sizeof address;
  getsockname(fd, (struct sockaddr *)&address, &length);
  printf("{\"port\":%d}\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

int main(int count, char **arguments) {
  int port = 0, wants_fifo = 0;
  for (int index = 1; index < count; index++) {
    const char *option = arguments[index], *value = index + 1 < count ? arguments[index + 1] : NULL;
    if (strcmp(option, "--fifo") == 0) {
      wants_fifo = 1;
      continue;
    }
    index++;
    if (strcmp(option, "--port") == 0) port = (int)number(value, option, 65535);
    else if (strcmp(option, "--ttft-us") == 0) ttft_ns = number(value, option, 3600000000) * 1000;
    else if (strcmp(option, "--gap-us") == 0) gap_ns = number(value, option, 3600000000) * 1000;
    else if (strcmp(option, "--events") == 0) event_count = (int)number(value, option, 1000000);
    else if (strcmp(option, "--log") == 0) log_path = value;
    else if (strcmp(option, "--event-bytes") == 0) event_bytes = (int)number(value, option, 8192);
    else {
      fprintf(stderr, "there is no option %s\n", option);
      return 2;
    }
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1UL);       /* the default of 50 µs would be the largest part of our lateness */
  prctl(PR_SET_PDEATHSIG, SIGTERM);    /* never outlives the benchmark */
  // Before a client that is scheduled in real time too, at 1.
  struct sched_param priority = {.sched_priority = 2};
  int is_fifo = wants_fifo && sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max; /* a connection each; the usual soft limit is 1,024 */
  setrlimit(RLIMIT_NOFILE, &files);
  build_event();

  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  int listener = listen_on(port);
  enum { LISTENER = CONNECTIONS_MAX, SIGNALS };
  struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = LISTENER};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &wanted);
  wanted.data.u32 = SIGNALS;
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, signal_fd, &wanted);

  int64_t started_ns = now_ns();
  for (;;) {
    struct timespec patience = {0, 0};
    if (heap_length > 0) {
      int64_t left_ns = heap[0]->due_ns - now_ns();
      if (left_ns > 0) patience = (struct timespec){.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    }
    struct epoll_event ready[READY_MAX];
    int ready_count = epoll_pwait2(epoll_fd, ready, READY_MAX, heap_length > 0 ? &patience : NULL, NULL);
    for (int index = 0; index < ready_count; index++) {
      uint32_t who = ready[index].data.u32;
      if (who == SIGNALS) {
        write_log();
        tell(started_ns, is_fifo);
        return 0;
      }
      if (who == LISTENER) {
        accept_all(listener);
        continue;
      }
      struct connection *connection = &connections[who];
      if (!connection->is_open) continue;
      if (ready[index].events & EPOLLOUT) flush(connection);
      if (connection->is_open && ready[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_requests(connection);
    }
    int64_t turn_ns = now_ns();
    while (heap_length > 0 && heap[0]->due_ns <= turn_ns) write_event(heap[0]);
  }
}
