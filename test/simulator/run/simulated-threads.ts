// Load and parse threads of a simulated run: the product's own classes in this thread, on loops of the simulation, in place of
// workers. The parse thread's loop is the one part of it that is written again here.

import { EventEmitter } from 'node:events';
import { LoadRecorder } from '../../../src/bench/arena/load-recorder.ts';
import { ThreadBoard } from '../../../src/bench/arena/thread-board.ts';
import { ClientWatch } from '../../../src/bench/load/client-watch.ts';
import { LoadPhases } from '../../../src/bench/load/load-phases.ts';
import {
  type FromLoadWorker,
  type LoadWorkerData,
  requestHeads,
  type ToLoadWorker,
} from '../../../src/bench/load/load-plan.ts';
import { LoadThread } from '../../../src/bench/load/load-thread.ts';
import { ReadLateness } from '../../../src/bench/load/read-lateness.ts';
import type {
  FromParseWorker,
  ParseWorkerData,
  ToParseWorker,
} from '../../../src/bench/parse/parse-message.ts';
import { RecordOutput } from '../../../src/bench/parse/record-output.ts';
import { RingParser } from '../../../src/bench/parse/ring-parser.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { RequestWriter } from '../../../src/bench/target/http1/request-writer.ts';
import type { WatchedWorker } from '../../../src/bench/threads/watched-thread.ts';
import type { RunMutation } from './run-mutations.ts';
import type { SimulatedServer } from './simulated-server.ts';
import { LoopOwner, type VirtualLoop } from './virtual-loop.ts';

export interface SimulatedThreadParts {
  readonly loop: VirtualLoop;
  /** Whose messages it gets and gives. */
  readonly main: LoopOwner;
  readonly server: SimulatedServer;
  readonly mutation: RunMutation;
}

/** A worker as its main thread sees it. */
class SimulatedWorker<Sent, Received> extends EventEmitter implements WatchedWorker {
  readonly owner: LoopOwner = new LoopOwner();
  readonly #parts: SimulatedThreadParts;
  readonly #handle: (message: Sent) => void;
  #hasExited = false;

  constructor(
    parts: SimulatedThreadParts,
    begin: (worker: SimulatedWorker<Sent, Received>) => (message: Sent) => void,
  ) {
    super();
    this.#parts = parts;
    this.#handle = begin(this);
  }

  postMessage(message: Sent): void {
    this.#parts.loop.in(MESSAGE_NS, this.owner, () => this.#handle(message));
  }

  report(message: Received): void {
    this.#parts.loop.in(MESSAGE_NS, this.#parts.main, () => this.emit('message', message));
  }

  async terminate(): Promise<number> {
    this.#exit(1);
    return 1;
  }

  /** By a fault of its own. */
  die(): void {
    if (this.#hasExited) return;
    this.#parts.loop.in(MESSAGE_NS, this.#parts.main, () => this.emit('error', new Error('simulated death')));
    this.#exit(1);
  }

  #exit(code: number): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.owner.isDead = true;
    this.#parts.loop.in(2 * MESSAGE_NS, this.#parts.main, () => this.emit('exit', code));
  }
}

type SimulatedLoadWorker = SimulatedWorker<ToLoadWorker, FromLoadWorker>;

export const simulatedLoadWorker = (data: LoadWorkerData, parts: SimulatedThreadParts): SimulatedLoadWorker =>
  new SimulatedWorker<ToLoadWorker, FromLoadWorker>(parts, worker => {
    const { loop, server, mutation } = parts;
    const { plan, thread } = data;
    const timers = loop.timersOf(worker.owner);
    const counts = { opened: 0, reused: 0, closed: 0, stale: 0 };
    const { nowNs } = loop;
    const load = new LoadThread({
      ...{ thread, plan, nowNs, timers, counts },
      recorder: mutation.recorder(new LoadRecorder(data.ring), data.ring),
      dialers: [server.dialer(worker.owner)],
      requests: new RequestWriter(requestHeads(plan), plan.bodies, plan.warmupRequests),
      board: new ThreadBoard(data.board),
      watch: new ClientWatch({
        ...{ thread, nowNs, counts, timers },
        cpuMicros: () => 0,
        reads: new ReadLateness(nowNs(), IDLE_METERS.idleNs, () => undefined),
        meters: IDLE_METERS,
      }),
      stamps: { by: 'read', reason: 'simulated' },
    });
    const phases = new LoadPhases({ load, report: message => worker.report(message), primed: undefined });
    return message => void phases.handle(message);
  });

export const simulatedParseWorker = (
  data: ParseWorkerData,
  parts: SimulatedThreadParts,
): {
  readonly worker: SimulatedWorker<ToParseWorker, FromParseWorker>;
  readonly behind: (forMs: number) => void;
} => {
  const behind = { untilNs: 0 };
  const { loop, mutation } = parts;
  const worker = new SimulatedWorker<ToParseWorker, FromParseWorker>(parts, self => {
    const timers = loop.timersOf(self.owner);
    const board = new ThreadBoard(data.board);
    const output = mutation.output(
      new RecordOutput({
        sourceId: data.parser + 1,
        runZeroNs: Number(data.runZeroNs),
        secrets: data.secrets,
        batch: bytes => self.report({ kind: 'batch', bytes }),
        lines: bytes => self.report({ kind: 'lines', to: 'sampleLines', bytes }),
        outcomes: news => self.report({ kind: 'outcomes', news }),
        answers: bytes => self.report({ kind: 'lines', to: 'answerLines', bytes }),
      }),
    );
    const reported = (message: FromParseWorker): void => {
      output.flush();
      self.report(message);
    };
    const parsers = data.rings.map(
      ({ thread, memory }) =>
        new RingParser({
          ...{ thread, memory, output, isStreaming: data.isStreaming, requested: data.requested },
          api: serverApi(data.api),
          warmedUp: index => reported({ kind: 'warmed-up', thread: index }),
          issuingEnded: (index, atNs) => reported({ kind: 'issuing-ended', thread: index, atNs }),
          ended: (index, atNs) => reported({ kind: 'ended', thread: index, atNs }),
        }),
    );
    let turns = 0;
    timers.every(POLL_MS, () => {
      board.add(data.boardThread, 'heartbeat', 1);
      if (loop.nowNs() < behind.untilNs) return;
      for (const parser of parsers) while (parser.parse(RECORDS_PER_TURN));
      turns += 1;
      if (turns % FLUSH_TURNS === 0) output.flush();
    });
    return message => {
      if (message.kind !== 'thread-lost') return;
      const { thread, reason, atNs } = message;
      const parser = parsers.find(candidate => candidate.thread === thread);
      while (parser?.parse(RECORDS_PER_TURN));
      parser?.lost(reason, atNs);
    };
  });
  return {
    worker,
    behind: forMs => {
      behind.untilNs = loop.nowNs() + forMs * 1e6;
    },
  };
};

const IDLE_METERS = {
  idleNs: () => 0,
  loopUtilization: () => 0,
  watchCollections: () => ({ [Symbol.dispose]: () => undefined }),
};
const MESSAGE_NS = 20_000;
const POLL_MS = 5;
/** 20 ms. */
const FLUSH_TURNS = 4;
const RECORDS_PER_TURN = 2_048;
