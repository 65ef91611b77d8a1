// Carries out one simulated run with its faults: the product's own load generator, session, aggregator, samples file and report, with
// threads, server, messages, disk and clock of the simulation. Equal plans give equal outcomes.

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSamplesFile } from '../../../src/bench/run/samples-file.ts';
import { runSession, type SessionResult } from '../../../src/bench/run/session.ts';
import { createLoadGenerator } from '../../../src/bench/threads/threaded-load-generator.ts';
import { seededRandom } from '../../../src/core/random.ts';
import type { EventRecord } from '../../../src/core/run/event-record.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { eventBatchBytesCodec } from '../../../src/messaging/event-batch-codec.ts';
import { LOSSLESS } from '../../../src/messaging/publisher.ts';
import { snapshotCodec } from '../../../src/messaging/snapshot-message-codec.ts';
import { NEWEST_MESSAGE } from '../../../src/messaging/subscriber.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { MetricsSnapshotSubscriber } from '../../../src/metrics/metrics-snapshot-subscriber.ts';
import { finalSnapshot, rebuildReport, recordsLost } from '../../../src/metrics/report-sources.ts';
import { EventBatchWriter } from '../../../src/wire/event-batch-writer.ts';
import { encodeSamplesEnd } from '../../../src/wire/sample-line.ts';
import { loadPlan } from '../../bench/load/load-plan.ts';
import { MemoryHub } from '../../support/memory-hub.ts';
import { configOf, type EndedRun, patternOf } from './ended-run.ts';
import type { RunFault, SimulatedRunPlan } from './run-faults.ts';
import { brokenInRun } from './run-invariants.ts';
import { NO_RUN_MUTATION, type RunMutation } from './run-mutations.ts';
import { SimulatedAggregator } from './simulated-aggregator.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { SimulatedMessages } from './simulated-messages.ts';
import { SimulatedServer } from './simulated-server.ts';
import { type SimulatedThreadParts, simulatedLoadWorker, simulatedParseWorker } from './simulated-threads.ts';
import { LoopOwner, VirtualLoop } from './virtual-loop.ts';

interface SimulatedRunOutcome {
  readonly broken: readonly string[];
  readonly requests: number;
  readonly faults: number;
  /** Of everything that the run published. */
  readonly digest: string;
}

/** `folder`: for runs whose report is made from files again. */
export const simulateRun = async (
  plan: SimulatedRunPlan,
  folder: string,
  mutation: RunMutation = NO_RUN_MUTATION,
): Promise<SimulatedRunOutcome> => {
  const run = new SimulatedRun(plan, folder, mutation);
  const ended = await run.carryOut();
  const digest = createHash('sha256').update(ended.lines);
  digest.update(JSON.stringify([ended.report?.counts, ended.report?.errors, ended.report?.client.reasons]));
  return {
    broken: brokenInRun(ended),
    requests: ended.server.served.size,
    faults: plan.faults.length,
    digest: digest.digest('hex'),
  };
};

class SimulatedRun {
  readonly #plan: SimulatedRunPlan;
  readonly #folder: string;
  readonly #mutation: RunMutation;
  readonly #loop = new VirtualLoop();
  /** The main process with its threads. */
  readonly #main = new LoopOwner();
  readonly #server: SimulatedServer;
  readonly #hub = new MemoryHub();
  readonly #stop = new AbortController();
  readonly #threads: {
    readonly die: () => void;
    readonly owner: LoopOwner;
    readonly part: 'load' | 'parse';
    readonly behind?: (ms: number) => void;
  }[] = [];
  readonly #disk = new SimulatedDisk();
  #isKilled = false;
  readonly #aggregator: SimulatedAggregator;
  #hasLostThread = false;
  #startNs: number | undefined;
  #openedNs = 0;
  readonly #snapshotsNs: number[] = [];
  #messages: SimulatedMessages | undefined;

  constructor(plan: SimulatedRunPlan, folder: string, mutation: RunMutation) {
    this.#plan = plan;
    this.#folder = folder;
    this.#mutation = mutation;
    this.#aggregator = new SimulatedAggregator({
      ...{ loop: this.#loop, hub: this.#hub, disk: this.#disk, plan, folder, mutation },
    });
    this.#server = new SimulatedServer(
      {
        loop: this.#loop,
        random: seededRandom(plan.seed + 1),
        faults: plan.faults,
        isStreaming: plan.isStreaming,
        noncePrefix: '0badcafe',
      },
      new LoopOwner(),
    );
  }

  async carryOut(): Promise<EndedRun> {
    rmSync(this.#folder, { recursive: true, force: true });
    for (const fault of this.#plan.faults) this.#arm(fault);
    const work = this.#run();
    const hasEnded = await this.#loop.run(this.#isKilledOr(work), RUN_MS_MAX * 1e6);
    const reported = hasEnded && !this.#isKilled ? await work : undefined;
    const isKilled = this.#isKilled;
    if (isKilled) await this.#loop.run(this.#aggregator.exited, RUN_MS_MAX * 1e6);
    return {
      plan: this.#plan,
      hasEnded,
      session: reported?.session,
      report: isKilled ? await this.#rebuilt() : reported?.report,
      lines: this.#disk.lines,
      server: this.#server,
      startNs: this.#startNs,
      openedNs: this.#openedNs,
      snapshotsNs: this.#snapshotsNs,
      lostRecords: this.#messages?.lostRecords ?? 0,
      shownLostRecords: this.#messages?.shownLostRecords ?? 0,
      isKilled,
      isStopped: this.#stop.signal.aborted,
      isDiskFull: this.#disk.isFull,
      hasLostThread: this.#hasLostThread,
      isBlind: this.#aggregator.isDead,
      issuedOnBoard: reported?.session.issued ?? 0,
    };
  }

  readonly #killed = Promise.withResolvers<void>();

  #isKilledOr(work: Promise<unknown>): Promise<unknown> {
    return Promise.race([work, this.#killed.promise]);
  }

  async #run(): Promise<{ readonly session: SessionResult; readonly report: Report }> {
    const { requests, threads, concurrency, isStreaming, warmup, ringBytes } = this.#plan;
    const pattern = patternOf(this.#plan);
    const clock = this.#mutation.clock(this.#loop.clockOf(this.#main));
    const publisher = this.#hub.openPublisher('events', eventBatchBytesCodec, LOSSLESS);
    const subscriber = this.#hub.openSubscriber('snapshots', snapshotCodec, NEWEST_MESSAGE);
    const snapshots = new MetricsSnapshotSubscriber({ subscriber, clock }, () =>
      this.#snapshotsNs.push(Number(this.#loop.monotonicNs())),
    );
    this.#aggregator.start();
    const samples = this.#mutation.samples(await openSamplesFile('samples.jsonl', undefined, this.#disk));
    const messages = new SimulatedMessages({
      ...{ loop: this.#loop, main: this.#main, faults: this.#plan.faults, mutation: this.#mutation },
      send: bytes => void publisher.publish(bytes),
    });
    this.#messages = messages;
    const publish = (bytes: Uint8Array): void => {
      if (!this.#isKilled) messages.carry(bytes);
    };
    const parts: SimulatedThreadParts = {
      ...{ loop: this.#loop, main: this.#main, server: this.#server, mutation: this.#mutation },
    };
    const load = createLoadGenerator(
      loadPlan({
        ...{ host: '127.0.0.1', port: 1, pattern, isStreaming, threads, seed: this.#plan.seed },
        limits: { samplesMax: requests, durationNs: undefined },
        connections: { opened: concurrency, max: concurrency + 4 },
        warmupRequests: warmup,
        timeouts: { connectMs: 300, firstByteMs: 300, idleMs: 200, totalMs: 1_500 },
        heartbeatMsMax: 500,
      }),
      { batch: publish, sampleLines: lines => samples.append(lines) },
      {
        clock,
        runZeroNs: 0n,
        ringBytes,
        standIns: {
          load: data => {
            const worker = simulatedLoadWorker(data, parts);
            this.#threads.push({ part: 'load', owner: worker.owner, die: () => worker.die() });
            return worker;
          },
          parse: data => {
            const { worker, behind } = simulatedParseWorker(data, parts);
            this.#threads.push({ part: 'parse', owner: worker.owner, die: () => worker.die(), behind });
            return worker;
          },
          monotonicNs: this.#loop.monotonicNs,
        },
      },
    );
    const writer = new EventBatchWriter({ sourceId: 0, runZeroNs: 0, capacityBytes: 1_024 });
    const isBlind = new AbortController();
    void this.#aggregator.exited.then(() => isBlind.abort());
    await load.open();
    this.#openedNs = Number(this.#loop.monotonicNs());
    const session = await runSession({
      ...{ load, clock, hasWarmup: warmup > 0, unmeasuredNs: 0, nowNs: this.#loop.nowNs },
      record: (record: EventRecord) => {
        writer.write(record);
        const batch = writer.take();
        if (batch !== undefined) publish(batch);
      },
      onPhase: () => undefined,
      onStart: startNs => {
        this.#startNs = startNs;
      },
      stop: AbortSignal.any([this.#stop.signal, isBlind.signal]),
      stopNow: new AbortController().signal,
    });
    const wasBlind = isBlind.signal.aborted;
    // What is held on the way still comes before the end.
    await clock.sleep(
      Math.max(0, (messages.delayedUntilNs - this.#loop.nowNs()) / 1e6) + 1,
      new AbortController().signal,
    );
    await publisher.close(LINGER_REAL_MS);
    const patience = new AbortController();
    const late = clock.sleep(ACCOUNT_MS_MAX, patience.signal).then(
      () => {
        this.#aggregator.giveUp();
      },
      () => undefined,
    );
    const account = await finalSnapshot({
      snapshots,
      aggregatorExited: this.#aggregator.exited,
      directory: this.#folder,
      signal: new AbortController().signal,
    });
    patience.abort();
    await late;
    const problems = [
      ...session.load.reasons,
      ...(this.#aggregator.isDead ? ['the aggregator exited early'] : []),
    ];
    const isInterrupted = this.#stop.signal.aborted;
    if (session.load.kind !== 'incomplete')
      samples.append(
        Buffer.from(
          encodeSamplesEnd({
            issued: session.issued,
            trackedIssued: session.issued - session.warmupIssued,
            state: isInterrupted ? 'interrupted' : 'complete',
            problems,
          }),
        ),
      );
    await samples.close(new AbortController().signal);
    await load[Symbol.asyncDispose]();
    await snapshots.close();
    const report = buildReport({
      config: configOf(this.#plan),
      snapshot: account.snapshot,
      source: account.source,
      droppedEvents: session.load.droppedEvents + recordsLost(messages.recordCount, account.snapshot),
      eventLogDropped: 0,
      isInterrupted,
      runProblems: [...problems, ...(samples.problem === undefined ? [] : [samples.problem])],
      sourceProblems: [],
      notices: [],
    });
    const isWhole = !wasBlind && !this.#aggregator.isDead;
    return { session, report: isWhole ? report : await this.#rebuilt() };
  }

  async #rebuilt(): Promise<Report> {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, 'config.json'), JSON.stringify(configOf(this.#plan)));
    writeFileSync(join(this.#folder, 'samples.jsonl'), this.#disk.lines);
    const report = await rebuildReport(this.#folder);
    rmSync(this.#folder, { recursive: true, force: true });
    return report;
  }

  #arm(fault: RunFault): void {
    if (!('atMs' in fault)) return;
    this.#loop.in(fault.atMs * 1e6, new LoopOwner(), () => this.#happen(fault));
  }

  #happen(fault: Extract<RunFault, { readonly atMs: number }>): void {
    const nowNs = this.#loop.nowNs();
    switch (fault.kind) {
      case 'parse-behind':
        for (const { behind } of this.#threads) behind?.(fault.forMs);
        return;
      case 'thread-dies':
      case 'thread-hangs': {
        const thread = this.#threadsOf(fault.part)[fault.thread];
        if (thread === undefined || thread.owner.isDead) return;
        this.#hasLostThread = true;
        if (fault.kind === 'thread-dies') thread.die();
        else thread.owner.stalledUntilNs = Number.POSITIVE_INFINITY;
        return;
      }
      case 'thread-stops': {
        const thread = this.#threadsOf('load')[fault.thread];
        if (thread === undefined) return;
        thread.owner.stalledUntilNs = Math.max(thread.owner.stalledUntilNs, nowNs + fault.forMs * 1e6);
        return;
      }
      case 'aggregator-dies':
        this.#aggregator.kill();
        return;
      case 'disk-full':
        this.#disk.isFull = true;
        return;
      case 'clock-jumps':
        this.#loop.wallJumpMs += fault.byMs;
        return;
      case 'stop':
        this.#stop.abort();
        this.#aggregator.interrupt.abort();
        return;
      case 'killed':
        this.#isKilled = true;
        this.#disk.isGone = true;
        this.#main.isDead = true;
        for (const { owner } of this.#threads) owner.isDead = true;
        this.#aggregator.parentGone.abort();
        this.#killed.resolve();
        return;
      default:
        fault satisfies never;
    }
  }

  #threadsOf(part: 'load' | 'parse') {
    return this.#threads.filter(thread => thread.part === part);
  }
}

const LINGER_REAL_MS = 1_000;
const ACCOUNT_MS_MAX = 60_000;
const RUN_MS_MAX = 300_000;
