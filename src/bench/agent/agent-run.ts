// One load on behalf of a coordinator: an ordinary run of src/bench whose time zero is set by the coordinator, and
// which this machine's own caps limit throughout. This machine names its directory; nothing from a coordinator
// becomes a path.

import { readFile, rm, stat } from 'node:fs/promises';
import { type Clock, pause } from '../../clock/clock.ts';
import { monotonicNs } from '../../clock/system-clock.ts';
import { errorMessage, problemText } from '../../core/problem.ts';
import { pushAll } from '../../core/push-all.ts';
import { isOpenLoop } from '../../core/run/run-pattern.ts';
import { isOfSessions } from '../../core/run/run-shape.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { runFiles } from '../../metrics/run-files.ts';
import type { AgentMessage, WantedFacts } from '../../wire/agent-message.ts';
import { encodeSnapshotPacked } from '../../wire/snapshot-codec.ts';
import { reportToJson } from '../../wire/stored-json.ts';
import { runBench } from '../bench.ts';
import type { BenchParts, BenchResult, ReadyLoad, RunPart, StartedRun } from '../run/bench-parts.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { AgentFacts } from './agent-facts.ts';
import type { LoadCaps } from './agent-policy.ts';
import { CAP_LOOK_MS, CapWatch } from './cap-watch.ts';
import { plannedApart } from './plan-apart.ts';
import type { PlanWork } from './plan-worker.ts';

/** Parts that all runs of a process share. */
export type AgentBenchParts = Pick<
  BenchParts,
  'clock' | 'env' | 'nodePath' | 'temporaryFolder' | 'version' | 'environment' | 'settings'
>;

interface AgentRunOptions {
  readonly request: BenchRequest;
  readonly part: Omit<RunPart, 'zero' | 'connectionsMax' | 'planned'>;
  readonly planning: Pick<PlanWork, 'requested' | 'dataset'>;
  readonly run: Pick<BenchParts, 'runId' | 'startedAt' | 'noncePrefix'>;
  readonly bench: AgentBenchParts;
  /** New, or empty. */
  readonly directory: string;
  readonly caps: LoadCaps;
  /** Which facts about its samples the coordinator requested during the load. */
  readonly facts: WantedFacts | undefined;
  /** Zero of the clock in the messages to the coordinator, CLOCK_MONOTONIC. */
  readonly zeroNs: bigint;
  readonly report: (message: AgentMessage) => Promise<boolean>;
}

interface AgentRunEnd {
  /** undefined if the run produced no result. */
  readonly result: BenchResult | undefined;
  readonly snapshot: MetricsSnapshot | undefined;
  readonly samplesBytes: number;
  /** Problems that ended it and that the report does not contain. */
  readonly problems: readonly string[];
}

export class AgentRun {
  readonly directory: string;
  readonly #options: AgentRunOptions;
  readonly #zero = Promise.withResolvers<number | undefined>();
  readonly #drain = new AbortController();
  readonly #cancel = new AbortController();
  readonly #stop = new AbortController();
  readonly #stopNow = new AbortController();
  readonly #over = new AbortController();
  readonly #problems: string[] = [];
  #started: StartedRun | undefined;
  #isReady = false;
  #snapshot: MetricsSnapshot | undefined;
  #isReporting = false;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.directory = options.directory;
  }

  /** `ready` was sent: a failure from here on ends the run and no longer refuses it. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** @throws what runBench throws before it is ready. */
  async perform(): Promise<AgentRunEnd> {
    const { request, part, planning, run, bench, caps, facts: wanted, report } = this.#options;
    const facts = wanted === undefined ? undefined : new AgentFacts({ wanted, clock: bench.clock, report });
    const watching = Promise.all([this.#watchCaps(), facts?.reportUntil(this.#over.signal)]);
    let result: BenchResult | undefined;
    try {
      result = await runBench(request, {
        ...bench,
        ...run,
        directory: this.directory,
        stop: this.#stop.signal,
        stopNow: this.#stopNow.signal,
        early: { drain: this.#drain.signal, cancel: this.#cancel.signal },
        ...(facts === undefined ? {} : { tap: facts }),
        part: {
          ...part,
          connectionsMax: caps.connectionsMax,
          planned: signal =>
            plannedApart(
              {
                ...planning,
                target: request.target,
                headers: request.headers,
                share: part.share,
                server: part.survey,
                costs: part.survey.costs,
                cores: bench.environment.cores,
                heartbeatMsMax: bench.settings.heartbeatMsMax,
                connectionsMax: caps.connectionsMax,
              },
              signal,
            ),
          zero: opened => this.#ready(opened),
        },
        observer: {
          started: started => {
            this.#started = started;
          },
          phase: phase => void this.#options.report({ kind: 'phase', phase }),
          snapshot: snapshot => this.#reportLive(snapshot),
          notice: text => void this.#options.report({ kind: 'notice', text }),
        },
      });
      pushAll(this.#problems, result.diskProblems);
    } catch (error) {
      if (!this.#isReady && this.#problems.length === 0) throw error;
      this.#problems.push(errorMessage(error));
    } finally {
      this.#over.abort();
      await watching;
    }
    const { samples } = runFiles(this.directory);
    return {
      result,
      snapshot: this.#snapshot,
      samplesBytes: await stat(samples).then(
        ({ size }) => size,
        () => 0,
      ),
      problems: this.#problems,
    };
  }

  /**
   * @param atNs zero of the schedule, in the clock that the coordinator received. Returns false if it is not a
   * possible time.
   */
  start(atNs: number): boolean {
    const { zeroNs } = this.#options;
    const aheadMs = (atNs - Number(monotonicNs() - zeroNs)) / 1e6;
    if (this.#started === undefined || aheadMs > START_AHEAD_MS_MAX || aheadMs < -START_LATE_MS_MAX)
      return false;
    this.#zero.resolve(atNs - Number(this.#started.runZeroNs - zeroNs));
    return true;
  }

  stop(how: 'drain' | 'cancel' | 'abort'): void {
    if (how === 'drain') this.#drain.abort();
    else if (how === 'cancel') this.#cancel.abort();
    else this.#stop.abort(new Error('the coordinator ended the run'));
    // Without a schedule there is nothing to drain.
    this.#zero.resolve(undefined);
    if (how !== 'abort' && !this.#isReady) this.#stop.abort(new Error('the coordinator ended the run'));
  }

  /** The coordinator is gone: requests in flight are cut, and the aggregator's result is not awaited. */
  async abandon(reason: string): Promise<void> {
    this.#end(reason);
    await pause(this.#options.bench.clock, ABANDON_MS, this.#over.signal);
    this.#stopNow.abort(new Error(reason));
  }

  /** Removes all of its files. */
  async discard(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  #end(reason: string): void {
    if (!this.#stop.signal.aborted) this.#problems.push(reason);
    this.#stop.abort(new Error(reason));
    this.#zero.resolve(undefined);
  }

  async #ready({ connectionsOpened, stamps }: ReadyLoad): Promise<number | undefined> {
    const { zeroNs, report, bench } = this.#options;
    this.#isReady = true;
    await report({
      kind: 'ready',
      runZeroNs: Number((this.#started?.runZeroNs ?? zeroNs) - zeroNs),
      connectionsOpened,
      stamps,
      ephemeralPorts: await ephemeralPorts(),
      notices: [],
    });
    const received = new AbortController();
    const waited = AbortSignal.any([received.signal, this.#over.signal]);
    const patience = pause(bench.clock, START_WAIT_MS_MAX, waited).then(() => {
      if (!waited.aborted) this.#end('the coordinator sent no start in time');
      return undefined;
    });
    const zero = await Promise.race([this.#zero.promise, patience]);
    received.abort();
    return zero;
  }

  /** Updates that arrive while one is being sent are dropped: the next one is complete. */
  #reportLive(snapshot: MetricsSnapshot): void {
    this.#snapshot = snapshot;
    if (this.#isReporting || this.#over.signal.aborted) return;
    this.#isReporting = true;
    void this.#options.report({ kind: 'live', snapshot: encodeSnapshotPacked(snapshot) }).finally(() => {
      this.#isReporting = false;
    });
  }

  async #watchCaps(): Promise<void> {
    const { bench, caps, request } = this.#options;
    const clock: Clock = bench.clock;
    const watch = new CapWatch(caps, {
      // A schedule of sessions does not determine the number of their requests.
      isOpenLoop: isOpenLoop(request.pattern) && !isOfSessions(request.shape),
    });
    const beganMs = clock.nowMs();
    for (; !this.#over.signal.aborted; await pause(clock, CAP_LOOK_MS, this.#over.signal)) {
      const issued = this.#started?.counts().issued ?? 0;
      const refusal = watch.look({ nowMs: clock.nowMs() - beganMs, issued });
      if (refusal === undefined) continue;
      this.#end(problemText(refusal));
      return;
    }
  }
}

/** The message that reports to the coordinator how the run ended. */
export const endedMessage = ({
  result,
  snapshot,
  samplesBytes,
  problems,
}: AgentRunEnd): AgentMessage & { readonly kind: 'ended' } => {
  const report = result?.report;
  const state =
    report === undefined
      ? 'incomplete'
      : report.interrupted
        ? 'interrupted'
        : report.complete
          ? 'complete'
          : 'incomplete';
  return {
    kind: 'ended',
    state,
    runProblems: [...(report?.runProblems ?? []), ...problems],
    snapshot: snapshot === undefined ? new Uint8Array() : encodeSnapshotPacked(snapshot),
    report: report === undefined ? '' : reportToJson(report),
    samplesBytes,
  };
};

/** Longest wait between `ready` and `start`, and how far ahead a start may be. */
const START_WAIT_MS_MAX = 60_000;
const START_AHEAD_MS_MAX = 60_000;
const START_LATE_MS_MAX = 5_000;
/** Time for requests in flight to be cancelled properly, before the run is abandoned. */
const ABANDON_MS = 1_000;

// How many connections to one target the ephemeral ports of this machine allow: each connection needs its own, from
// the range that the system reports. Beyond it connections fail, and a person should learn that before the load does.

/** Linux: /proc/sys/net/ipv4/ip_local_port_range, Documentation/networking/ip-sysctl.rst. */
const ephemeralPorts = async (path: string = LOCAL_PORT_RANGE): Promise<Reported<number>> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return unknown('this system does not report its range of ports');
  }
  const [, low, high] = /^(\d{1,5})\s+(\d{1,5})\s*$/.exec(text) ?? [];
  const ports = Number(high) - Number(low) + 1;
  return ports > 0 ? ports : unknown('its range of ports is not understood');
};

const LOCAL_PORT_RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
