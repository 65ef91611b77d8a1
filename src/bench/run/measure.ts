// The measuring part of a run: the session, with its own records among those of the load.

import { type Clock, pause } from '../../clock/clock.ts';
import { monotonicNs } from '../../clock/system-clock.ts';
import type { EventRecord } from '../../core/run/event-record.ts';
import { type InFlightCount, InFlightCounter } from '../../core/run/littles-law.ts';
import type { ServerReading } from '../../core/run/server-reading.ts';
import type { StallProbes } from '../../core/run/stall-probes.ts';
import { isUnknown, type Unknown } from '../../core/unknown.ts';
import { EventBatchWriter } from '../../wire/event-batch-writer.ts';
import type { LoadCounts, LoadGenerator } from '../threads/load-generator.ts';
import type { AggregatorChild } from './aggregator-child.ts';
import type { BenchParts, EarlyEnd } from './bench-parts.ts';
import { HostWatch } from './host-watch.ts';
import type { ServerFile } from './server-file.ts';
import { ServerWatch, type ServerWatchOptions } from './server-watch.ts';
import { runSession, type SessionParts, type SessionResult } from './session.ts';
import { StallProber, type StallProberOptions } from './stall-prober.ts';
import type { StopWatch } from './stop-watch.ts';

export interface MeasuredRun {
  readonly session: SessionResult;
  /** The aggregator ended before the session did. */
  readonly isBlind: boolean;
  /** During the measured phase; undefined if the load grew before it. */
  readonly inFlight: InFlightCount | undefined;
  /** Why the server has reported no metrics; undefined: it has. */
  readonly serverUnknown: Unknown | undefined;
  /** undefined: none were requested. */
  readonly probes: StallProbes | undefined;
}

/** Runs the session, which ends early when the aggregator dies: without it, further results would be lost. */
export const measure = async ({
  parts,
  load,
  aggregator,
  runZeroNs,
  publish,
  hasWarmup,
  unmeasuredNs,
  zero,
  stopping,
  graceMs,
  server,
  serverFile,
  probes,
}: {
  readonly parts: BenchParts;
  readonly load: LoadGenerator;
  readonly aggregator: AggregatorChild;
  readonly runZeroNs: bigint;
  readonly publish: (batch: Uint8Array) => void;
  readonly hasWarmup: boolean;
  readonly unmeasuredNs: number;
  readonly zero: SessionParts['zero'];
  readonly stopping: StopWatch;
  readonly graceMs: number | undefined;
  /** Its page of metrics, or why none is requested. */
  readonly server: Pick<ServerWatchOptions, 'server' | 'headers' | 'path' | 'slotsPath'> | Unknown;
  readonly serverFile: ServerFile;
  readonly probes: StallProberOptions | undefined;
}): Promise<MeasuredRun> => {
  const writer = new EventBatchWriter({
    sourceId: MAIN_SOURCE,
    runZeroNs: Number(runZeroNs),
    capacityBytes: 1_024,
  });
  const record = (event: EventRecord): void => {
    writer.write(event);
    const batch = writer.take();
    if (batch !== undefined) publish(batch);
  };
  const isBlind = new AbortController();
  void aggregator.exited.then(() => isBlind.abort());
  const nowNs = (): number => Number(monotonicNs() - runZeroNs);
  const over = new AbortController();
  const watching = watchHost(parts.clock, over.signal, host => {
    const seen = host.observe(nowNs());
    if (seen !== undefined) record(seen);
  });
  const inFlight = new InFlightCounter();
  const count = (): void => inFlight.add(nowNs(), load.counts.issued - load.counts.ended);
  const beside: Promise<void>[] = [];
  const reported = (reading: ServerReading): void => {
    // Nothing may follow the record of the session's end.
    if (over.signal.aborted) return;
    record({ kind: 'server.observed', ...reading });
    serverFile.append(reading);
    if (reading.moment === 'load') parts.onServer?.(reading);
  };
  const missed = (atNs: number): void => {
    if (!over.signal.aborted) serverFile.appendMissed(atNs);
  };
  const prober = probes === undefined ? undefined : new StallProber({ ...probes, clock: parts.clock, nowNs });
  const watch = isUnknown(server)
    ? undefined
    : new ServerWatch({
        ...server,
        clock: parts.clock,
        nowNs,
        counts: () => withProbes(load.counts, prober),
        onReading: reported,
        missed,
      });
  const isLoadOver = new AbortController();
  const isIssuingOver = new AbortController();
  let watchingServer: Promise<void> | undefined;
  let probing: Promise<void> | undefined;
  const begun = (startNs: number): void => {
    probing = prober?.probe(startNs, isIssuingOver.signal, over.signal);
    beside.push(every(parts.clock, COUNT_MS, over.signal, count));
    watchingServer = watch?.watch(AbortSignal.any([over.signal, isLoadOver.signal]));
  };
  const interrupt = (): void => aggregator.interrupt();
  if (parts.stop.aborted) interrupt();
  parts.stop.addEventListener('abort', interrupt, { once: true });
  const session = await runSession({
    load,
    clock: parts.clock,
    hasWarmup,
    unmeasuredNs,
    record,
    nowNs,
    // While the load grows, there is no moment without requests to count from.
    ...(watch === undefined || unmeasuredNs > 0
      ? {}
      : { beforeLoad: () => watch.start(AbortSignal.any([over.signal, parts.stop])) }),
    ...(watch === undefined && prober === undefined
      ? {}
      : {
          afterLoad: async () => {
            isLoadOver.abort();
            isIssuingOver.abort();
            // Before the last reading of the server, which is then idle.
            const graceOver = AbortSignal.any([over.signal, parts.stop]);
            if (probing !== undefined)
              await Promise.race([probing, pause(parts.clock, PROBE_GRACE_MS, graceOver)]);
            await watchingServer;
            await watch?.end(parts.stop.aborted, AbortSignal.any([over.signal, parts.stopNow]));
          },
        }),
    onStart: startNs => {
      parts.tap?.started(startNs, nowNs);
      stopping.started(startNs);
      begun(startNs);
    },
    onPhase: phase => {
      if (phase === 'draining' || phase === 'stopping') isIssuingOver.abort();
      if (phase === 'ended') over.abort();
      parts.observer.phase(phase);
    },
    ...(zero === undefined ? {} : { zero }),
    ...(graceMs === undefined ? {} : { graceMs }),
    onWarm: () => stopping.warmedUp(),
    early: earlyEnd(parts.early, stopping.signal),
    stop: AbortSignal.any([parts.stop, isBlind.signal]),
    stopNow: parts.stopNow,
  });
  count();
  await Promise.all([watching, probing, ...beside]);
  parts.stop.removeEventListener('abort', interrupt);
  return {
    session,
    isBlind: isBlind.signal.aborted,
    inFlight: unmeasuredNs > 0 ? undefined : inFlight,
    serverUnknown: isUnknown(server) ? server : watch?.nothing,
    probes: prober?.figures,
  };
};

/** Ended by the watch of a stage, or by the run's own rules: requests in flight are then not awaited. */
const earlyEnd = (early: EarlyEnd | undefined, halted: AbortSignal): EarlyEnd => ({
  drain: early?.drain ?? new AbortController().signal,
  cancel: early === undefined ? halted : AbortSignal.any([early.cancel, halted]),
});

const every = async (clock: Clock, ms: number, over: AbortSignal, act: () => void): Promise<void> => {
  for (; !over.aborted; await pause(clock, ms, over)) act();
};

const watchHost = async (clock: Clock, over: AbortSignal, look: (host: HostWatch) => void): Promise<void> => {
  for (const host = new HostWatch(); !over.aborted; await pause(clock, HOST_WATCH_MS, over)) look(host);
};

/** All that the server has of this client. */
const withProbes = (counts: LoadCounts, prober: StallProber | undefined): LoadCounts =>
  prober === undefined
    ? counts
    : { ...counts, issued: counts.issued + prober.counts.issued, ended: counts.ended + prober.counts.ended };

/** Batch numbers of the parse threads begin with 1. */
const MAIN_SOURCE = 0;
const HOST_WATCH_MS = 500;
const COUNT_MS = 100;
/** How long probes are awaited after the last reply of the load. */
const PROBE_GRACE_MS = 2_000;
