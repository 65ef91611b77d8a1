// Entry of a load thread: constructs its parts and executes the main thread's commands.

import { openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { LOOP_TIMERS } from '../../clock/loop-timers.ts';
import { LoadRecorder } from '../arena/load-recorder.ts';
import { ThreadBoard } from '../arena/thread-board.ts';
import { RequestFeed } from '../replay/request-feed.ts';
import { RequestWriter } from '../target/http1/request-writer.ts';
import { ClientWatch, ownThreadMeters } from './client-watch.ts';
import { LoadPhases } from './load-phases.ts';
import { type LoadWorkerData, requestHeads, type ToLoadWorker, targetsOf } from './load-plan.ts';
import { LoadThread } from './load-thread.ts';
import { ReadLateness } from './read-lateness.ts';
import { chooseStamps } from './stamp-choice.ts';

// How long the calling thread has been ready to run without a processor, as the Linux scheduler counts it:
// /proc/thread-self/schedstat, "ns on a processor, ns waiting for one, time slices"
// (Documentation/scheduler/sched-stats.rst). The value is exact when the thread runs again, so this part of a late
// wake-up is known, not sampled. Reading it allocates nothing and costs about a microsecond.

/** For the calling thread; the function returns undefined if the system does not count it. */
const queuedTimeOfThread = (): (() => number | undefined) => {
  const bytes = Buffer.alloc(FILE_BYTES);
  try {
    // Closed with its thread, as all descriptors that a worker leaves open (`trackUnmanagedFds`).
    const descriptor = openSync('/proc/thread-self/schedstat', 'r');
    readSync(descriptor, bytes, 0, FILE_BYTES, 0);
    // Zero: a kernel that does not count. A running thread has used a processor.
    if (bytes[0] === ZERO) return () => undefined;
    return () => secondNumber(bytes, readSync(descriptor, bytes, 0, FILE_BYTES, 0));
  } catch {
    return () => undefined;
  }
};

const secondNumber = (bytes: Buffer, length: number): number | undefined => {
  let at = bytes.indexOf(SPACE) + 1;
  let number = 0;
  for (; at > 0 && at < length; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return number;
    number = number * 10 + digit;
  }
  return undefined;
};

/** Three numbers of at most 20 digits. */
const FILE_BYTES = 64;
const SPACE = 0x20;
const ZERO = 0x30;

const { thread, plan, ring, board: boardMemory, runZeroNs, parser, feed }: LoadWorkerData = workerData;

const zeroSeconds = Number(runZeroNs / 1_000_000_000n);
const zeroNanos = Number(runZeroNs % 1_000_000_000n);
// Not the bigint form: it costs twice as much, and differences of two numbers below 2⁵³ are exact.
const nowNs = (): number => {
  const time = process.hrtime();
  return (time[0] - zeroSeconds) * 1e9 + (time[1] - zeroNanos);
};

// Not awaited at the top: this file is packed as a script (docs/decisions/0026-packed-code.md).
const start = async (): Promise<void> => {
  const counts = { opened: 0, reused: 0, closed: 0, stale: 0 };
  const writer = new RequestWriter(requestHeads(plan), plan.bodies, plan.warmupRequests);
  const [firstTarget = plan.target, ...otherTargets] = targetsOf(plan);
  const { platform, arch, env } = process;
  const { loop, dialerOf, stamps } = await chooseStamps({
    targets: targetsOf(plan),
    nowNs,
    platform,
    arch,
    env,
  });
  const timers = loop ?? LOOP_TIMERS;
  const meters = ownThreadMeters(loop);
  const fed = feed === undefined ? undefined : new RequestFeed(feed, writer, plan.warmupRequests);
  const load = new LoadThread({
    thread,
    plan,
    nowNs,
    timers,
    recorder: new LoadRecorder(ring),
    dialers: [dialerOf(firstTarget), ...otherTargets.map(dialerOf)],
    requests: fed ?? writer,
    board: new ThreadBoard(boardMemory),
    watch: new ClientWatch({
      thread,
      nowNs,
      cpuMicros: () => {
        const { user, system } = process.threadCpuUsage();
        return user + system;
      },
      reads: loop === undefined ? new ReadLateness(nowNs(), meters.idleNs, queuedTimeOfThread()) : undefined,
      counts,
      timers,
      meters,
    }),
    counts,
    parser,
    stamps,
  });

  const phases = new LoadPhases({
    load,
    report: message => {
      parentPort?.postMessage(message);
      // Its descriptors are not known to Node, which closes those of a thread that ends.
      if (message.kind === 'ended') loop?.stop();
    },
    primed: fed?.primed,
  });

  parentPort?.on('message', (message: ToLoadWorker) => {
    // What is thrown ends the thread, which the main thread sees.
    void phases.handle(message);
  });
};

// What is thrown ends the thread, which the main thread sees.
void start();
