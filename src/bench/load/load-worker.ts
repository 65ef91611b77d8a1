// Entry of a load thread: makes its parts and does what the main thread says.

import { parentPort, workerData } from 'node:worker_threads';
import { isOpenLoop } from '../../core/run/run-pattern.ts';
import { LoadRecorder } from '../arena/load-recorder.ts';
import { ThreadBoard } from '../arena/thread-board.ts';
import { RequestFeed } from '../replay/request-feed.ts';
import type { Arrivals } from '../schedule/arrivals.ts';
import { arrivals, recordedArrivals, shareOf } from '../schedule/arrivals.ts';
import { OwnArrivals } from '../schedule/own-arrivals.ts';
import { SocketDialer } from '../target/http1/dialer.ts';
import { RequestWriter, requestHead } from '../target/http1/request-writer.ts';
import { TurnWriter } from '../target/http1/turn-writer.ts';
import { ClientWatch } from './client-watch.ts';
import { ClosedLoop } from './closed-loop.ts';
import type { LoadPattern } from './load-pattern.ts';
import type { FromLoadWorker, LoadWorkerData, OpenedConnections, ToLoadWorker } from './load-plan.ts';
import { threadShare } from './load-plan.ts';
import { LoadThread } from './load-thread.ts';
import { OpenLoop } from './open-loop.ts';
import { Pacer } from './pacing.ts';
import { queuedTimeOfThread } from './queued-time.ts';
import { SessionLoop } from './session-loop.ts';

const { thread, plan, ring, board: boardMemory, runZeroNs, turns, feed }: LoadWorkerData = workerData;

const zeroSeconds = Number(runZeroNs / 1_000_000_000n);
const zeroNanos = Number(runZeroNs % 1_000_000_000n);
// Not the bigint form: it costs twice as much, and differences of two numbers below 2⁵³ are exact.
const nowNs = (): number => {
  const time = process.hrtime();
  return (time[0] - zeroSeconds) * 1e9 + (time[1] - zeroNanos);
};

const counts = { opened: 0, reused: 0, closed: 0, stale: 0 };
const share = threadShare(plan, thread);
const board = new ThreadBoard(boardMemory);
const writer = new RequestWriter(
  requestHead(plan.target, plan.headers, plan.isStreaming),
  plan.bodies,
  plan.warmupRequests,
);
const fed = feed === undefined ? undefined : new RequestFeed(feed, writer, plan.warmupRequests);
const load = new LoadThread({
  thread,
  plan,
  nowNs,
  recorder: new LoadRecorder(ring),
  dialer: new SocketDialer(plan.target, process.platform !== 'win32'),
  requests: fed ?? writer,
  board,
  watch: new ClientWatch({
    thread,
    nowNs,
    cpuMicros: () => {
      const { user, system } = process.threadCpuUsage();
      return user + system;
    },
    queuedNs: queuedTimeOfThread(),
    counts,
  }),
  counts,
  turns,
});

const scheduled = (pattern: Parameters<typeof arrivals>[0]): Arrivals =>
  plan.replay === undefined
    ? arrivals(pattern, plan.seed, plan.course)
    : recordedArrivals(plan.replay.trace.timesNs);

const patternFrom = (startNs: number): LoadPattern => {
  const { pattern, course, limits, warmupRequests } = plan;
  const pacer = new Pacer({
    nowNs,
    spins: plan.pacing === 'spin',
    polledSince: ns => load.polledSince(ns),
  });
  const measuredFromNs = startNs + (course?.measuredFromNs ?? 0);
  const endNs = measuredFromNs + (limits.durationNs ?? Number.POSITIVE_INFINITY);
  const samplesMax = limits.samplesMax ?? Number.POSITIVE_INFINITY;
  const own = { share, startNs, endNs, measuredFromNs, samplesMax };
  const inFlightCap = plan.inFlightCap === undefined ? undefined : shareOf(plan.inFlightCap, share);
  const connectionsMax = shareOf(plan.connections.max, { index: thread, of: plan.threads.load });
  if (plan.sessions !== undefined) {
    const { bodies, placesOf } = plan.sessions;
    const writer = new TurnWriter(requestHead(plan.target, plan.headers, plan.isStreaming), bodies);
    return new SessionLoop(load, pacer, {
      writer,
      arriving: isOpenLoop(pattern)
        ? {
            kind: 'open',
            own: new OwnArrivals({ ...own, arrivals: scheduled(pattern) }),
            inFlightCap,
          }
        : {
            kind: 'closed',
            placesOf,
            places: shareOf(plan.connections.opened, share),
            sessionsMax: samplesMax,
            course:
              course === undefined
                ? undefined
                : { course, measuredFromNs, samplesMax: shareOf(samplesMax, plan.share) },
          },
      startNs,
      endNs,
      firstSampleId: warmupRequests,
      connectionsMax,
    });
  }
  switch (pattern.kind) {
    case 'concurrency':
    case 'max-throughput':
      return new ClosedLoop(load, pacer, {
        isWarmup: false,
        startNs,
        endNs,
        sampleIdEnd: course === undefined ? warmupRequests + samplesMax : Number.POSITIVE_INFINITY,
        course:
          course === undefined
            ? undefined
            : { course, measuredFromNs, samplesMax: shareOf(samplesMax, plan.share) },
      });
    default:
      return new OpenLoop(load, pacer, {
        arrivals: () => scheduled(pattern),
        own,
        firstSampleId: warmupRequests,
        inFlightCap,
        connectionsMax,
        spareConnections: Math.ceil(plan.connections.opened / share.of / SPARE_DIVISOR),
      });
  }
};

const warmUp = (): LoadPattern =>
  new ClosedLoop(load, new Pacer({ nowNs, spins: false }), {
    isWarmup: true,
    startNs: nowNs(),
    endNs: Number.POSITIVE_INFINITY,
    sampleIdEnd: plan.warmupRequests,
    course: undefined,
  });

const connectionsToOpen = (): number => {
  const { pattern, course, connections, limits } = plan;
  // One for each agent at least, however low the rate.
  if (pattern.kind !== 'concurrency') return shareOf(Math.max(connections.opened, plan.share.of), share);
  // A user who never gets a sample needs no connection; before the measured window no limit counts them.
  const useful = course === undefined ? limits.samplesMax : undefined;
  return shareOf(Math.min(pattern.concurrency, useful ?? pattern.concurrency), share);
};

/** Of a trace a load thread also waits for its first requests. */
const opened = async (): Promise<OpenedConnections> => {
  const connections = await load.open(connectionsToOpen());
  await fed?.primed;
  return connections;
};

const tell = (message: FromLoadWorker): void => parentPort?.postMessage(message);

const end = async (): Promise<void> => {
  await load.finish();
  tell({ kind: 'ended' });
};

const obey = async (message: ToLoadWorker): Promise<void> => {
  switch (message.kind) {
    case 'open':
      tell({ kind: 'opened', connections: await opened() });
      return;
    case 'marks':
      load.readMarks(message.source);
      return;
    case 'warm-up':
      if (!load.isStopped) await load.run(warmUp());
      if (!load.isStopped) await load.tellWarmedUp();
      return;
    case 'start':
      if (load.isStopped) return;
      await load.run(patternFrom(message.atNs));
      if (!load.isStopped) await end();
      return;
    case 'end-issuing':
      load.endIssuing();
      return;
    case 'stop':
      if (load.isStopped) return;
      load.stop();
      await end();
  }
};

/** Of the connections opened at first, so many are kept ready for arrivals. */
const SPARE_DIVISOR = 4;

parentPort?.on('message', (message: ToLoadWorker) => {
  // What is thrown ends the thread, which the main thread sees.
  void obey(message);
});
