// A load thread and its parser in the test's own thread: real sockets, no worker.

import { MessageChannel } from 'node:worker_threads';
import { LoadRecorder } from '../../../src/bench/arena/load-recorder.ts';
import { createRingMemory } from '../../../src/bench/arena/ring.ts';
import { createThreadBoardMemory, ThreadBoard } from '../../../src/bench/arena/thread-board.ts';
import { ClientWatch, ownThreadMeters } from '../../../src/bench/load/client-watch.ts';
import { ClosedLoop } from '../../../src/bench/load/closed-loop.ts';
import type { LoadPlan, OpenedConnections } from '../../../src/bench/load/load-plan.ts';
import { LoadThread } from '../../../src/bench/load/load-thread.ts';
import { OpenLoop } from '../../../src/bench/load/open-loop.ts';
import { Pacer } from '../../../src/bench/load/pacing.ts';
import { ReadLateness } from '../../../src/bench/load/read-lateness.ts';
import { RecordOutput } from '../../../src/bench/parse/record-output.ts';
import { RingParser } from '../../../src/bench/parse/ring-parser.ts';
import { tokensPerRequest } from '../../../src/bench/parse/tokens-per-request.ts';
import { arrivals } from '../../../src/bench/schedule/arrivals.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { SocketDialer, type TargetDialer } from '../../../src/bench/target/http1/dialer.ts';
import { RequestWriter, requestHead } from '../../../src/bench/target/http1/request-writer.ts';
import { LOOP_TIMERS, type LoopTimers } from '../../../src/clock/loop-timers.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { EventRecord } from '../../../src/core/run/event-record.ts';
import { readEventBatch } from '../../../src/wire/event-batch.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';

export interface RunHere {
  readonly opened: OpenedConnections;
  /** Of the load's schedule. */
  readonly startNs: number;
  readonly samples: readonly EndedSample[];
  readonly records: readonly EventRecord[];
  readonly counts: {
    readonly opened: number;
    readonly reused: number;
    readonly closed: number;
    readonly stale: number;
  };
  readonly dropped: number;
  readonly arenaFull: number;
}

export interface RunHereOptions {
  readonly ringBytes?: number;
  /** Called once the load runs. */
  readonly whileRunning?: (load: LoadThread) => void;
  /** Otherwise every few ms: only when all is over, or when the load requests it. */
  readonly parses?: 'late' | 'on-request';
  /** Default: this machine's clock, timers and sockets. */
  readonly loop?: OwnLoop;
}

interface OwnLoop {
  readonly nowNs: () => number;
  readonly timers: LoopTimers;
  readonly dialer: TargetDialer;
}

export const runHere = async (
  plan: LoadPlan,
  { ringBytes = 8_388_608, whileRunning, parses, loop }: RunHereOptions = {},
): Promise<RunHere> => {
  const memory = createRingMemory(ringBytes);
  const board = new ThreadBoard(createThreadBoardMemory(1));
  const counts = { opened: 0, reused: 0, closed: 0, stale: 0 };
  const zeroNs = process.hrtime.bigint();
  const {
    nowNs,
    timers,
    dialer = new SocketDialer(plan.target, true),
  } = loop ?? { nowNs: () => Number(process.hrtime.bigint() - zeroNs), timers: LOOP_TIMERS };
  const records: EventRecord[] = [];
  let lines = '';
  const output = new RecordOutput({
    sourceId: 1,
    runZeroNs: Number(zeroNs),
    secrets: plan.headers.map(({ value }) => value),
    batch: bytes => records.push(...readEventBatch(bytes).records),
    lines: bytes => {
      lines += Buffer.from(bytes).toString();
    },
    outcomes: () => undefined,
    answers: () => undefined,
  });
  const reported = Promise.withResolvers<void>();
  const parser = new RingParser({
    thread: 0,
    memory,
    output,
    api: serverApi(plan.api),
    isStreaming: plan.isStreaming,
    requested: tokensPerRequest(plan),
    warmedUp: () => undefined,
    issuingEnded: () => undefined,
    ended: () => {
      output.flush();
      reported.resolve();
    },
  });
  const recorder = new LoadRecorder(memory);
  const requests = new MessageChannel();
  const load = new LoadThread({
    thread: 0,
    plan,
    nowNs,
    timers,
    recorder,
    dialers: [dialer],
    requests: new RequestWriter(
      [requestHead(plan.target, plan.headers, plan.isStreaming)],
      plan.bodies,
      plan.warmupRequests,
    ),
    board,
    watch: new ClientWatch({
      ...{ thread: 0, nowNs, counts, timers, meters: ownThreadMeters() },
      cpuMicros: () => 0,
      reads: new ReadLateness(
        nowNs(),
        () => 0,
        () => undefined,
      ),
    }),
    counts,
    stamps: { by: 'read', reason: 'a test' },
    ...(parses === 'on-request' ? { parser: requests.port1 } : {}),
  });
  requests.port2.on('message', () => {
    while (parser.parse(1_000));
  });
  const parsing = parses === undefined ? setInterval(() => parser.parse(1_000), 5) : undefined;
  const pacer = new Pacer({ nowNs, timers, spins: false });
  const { pattern, limits, course } = plan;
  const isClosedLoop = pattern.kind === 'concurrency' || pattern.kind === 'max-throughput';
  const count = pattern.kind === 'concurrency' ? pattern.concurrency : plan.connections.opened;
  const opened = await load.open(Array.from({ length: count }, () => 0));
  const startNs = nowNs();
  const measuredFromNs = startNs + (course?.measuredFromNs ?? 0);
  const endNs = measuredFromNs + (limits.durationNs ?? Number.POSITIVE_INFINITY);
  const samplesMax = limits.samplesMax ?? Number.POSITIVE_INFINITY;
  const running = load.run(
    isClosedLoop
      ? new ClosedLoop(load, pacer, {
          startNs,
          endNs,
          sampleIdEnd: course === undefined ? samplesMax : Number.POSITIVE_INFINITY,
          isWarmup: false,
          course: course === undefined ? undefined : { course, measuredFromNs, samplesMax },
        })
      : new OpenLoop(load, pacer, {
          arrivals: () => arrivals(pattern, plan.seed, course),
          own: { share: { index: 0, of: 1 }, startNs, endNs, measuredFromNs, samplesMax },
          firstSampleId: 0,
          inFlightCap: plan.inFlightCap,
          connectionsMax: plan.connections.max,
          spareConnections: Math.ceil(plan.connections.opened / 4),
        }),
  );
  whileRunning?.(load);
  await running;
  const finished = load.finish();
  if (parses === 'late') while (parser.parse(1_000)) output.flush();
  await finished;
  await reported.promise;
  clearInterval(parsing);
  requests.port1.close();
  const samples = lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const decoded = decodeSampleLine(line);
      if (decoded.kind !== 'sample') throw new Error(`not a sample: ${line}`);
      return decoded.sample;
    });
  return {
    startNs,
    opened,
    samples,
    records,
    counts,
    dropped: recorder.droppedCount,
    arenaFull: board.get(0, 'arenaFull'),
  };
};
