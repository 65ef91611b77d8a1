// Probing in a running daemon: the reconciler with the engines of this machine, and the server that leases its interfaces to
// peers. Without a mesh there are no links to measure, and only devices are.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { Config } from '../../config/config.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { GpuVendor } from '../../core/node/gpu.ts';
import { knownValue, readingView } from '../../core/node/reading-view.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import type { State } from '../../core/state.ts';
import type { Gatherer } from '../../gather/gatherer.ts';
import type { HistoryQuery, HistoryRow, PastQuery } from '../../journal/journal.ts';
import { lockDevices } from '../../probe/device-lock.ts';
import { deviceProber, listProbeDevices } from '../../probe/gpu/probe-device.ts';
import { LeaseServer } from '../../probe/lease/lease-server.ts';
import type { LinkEngines } from '../../probe/link-engine.ts';
import { LoadRunner } from '../../probe/load/load-runner.ts';
import type { PeerRequests } from '../../probe/peer-requests.ts';
import type { ProbeDevice, ProbeDeviceNow } from '../../probe/probe.ts';
import { ProbeRunner } from '../../probe/reconcile/probe-runner.ts';
import { Reconciler } from '../../probe/reconcile/reconciler.ts';
import type { MeasuredPeers } from '../../probe/schedule/measured-peers.ts';
import { PortLocks } from '../../probe/schedule/port-locks.ts';
import type { ProbeLog } from '../../probe/schedule/probe-log.ts';
import type { ProbeSettings } from '../../probe/schedule/probe-settings.ts';
import { SpendLedger } from '../../probe/schedule/spend-ledger.ts';
import type { Env } from '../../process/child.ts';
import type { RequestedProbe } from '../../wire/api/probe-answers.ts';
import { BaselineReporting } from './baseline-reporting.ts';
import { pastSpending } from './past-spending.ts';
import { ProbeRequestServer } from './probe-request-server.ts';
import { rdmaEngine } from './rdma-engine.ts';
import { socketEngine } from './socket-engine.ts';

interface DaemonProbesParts {
  readonly home: string;
  readonly pid: number;
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly platform: string;
  readonly config: () => Config;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  readonly history: (query: HistoryQuery) => readonly HistoryRow[];
  readonly past: (query: PastQuery) => readonly HistoryRow[];
  /** Vendors whose inventory the gatherers of this machine report, sooner or later. */
  readonly gpuVendors: readonly GpuVendor[];
  /** --probes off, for any setting in config.toml. */
  readonly mode: 'off' | undefined;
  /** Undefined: the engines of this machine. */
  readonly probeDevice?: ProbeDeviceNow;
  /** Undefined without a mesh. */
  readonly requests: PeerRequests | undefined;
  readonly peers: Pick<MeasuredPeers, 'isChosen' | 'request'>;
  readonly log?: ProbeLog;
}

export interface DaemonProbes {
  /** Probes and lends until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  readonly requests: ProbeRequestServer;
}

/** The vendors whose inventory a source here reports, each once: two sources may report one vendor. */
export const gpuVendorsOf = (gatherers: readonly Gatherer[]): readonly GpuVendor[] => {
  const kinds = gatherers.flatMap(({ reports }) => reports);
  const vendors = kinds.flatMap(({ reading, vendor }) =>
    reading === 'gpus' && vendor !== 'none' ? [vendor] : [],
  );
  return [...new Set(vendors)];
};

export const daemonProbes = (parts: DaemonProbesParts): DaemonProbes => {
  const { nodeId: self, clock, random, env, nodePath, platform, config, state, record } = parts;
  const requests = parts.requests ?? NOBODY;
  const log = parts.log ?? (() => undefined);
  const nowMs = (): number => clock.nowMs();
  const settings = (): ProbeSettings => {
    const { probes } = config();
    return parts.mode === 'off' ? { ...probes, isEnabled: false } : probes;
  };
  const engines: LinkEngines = {
    socket: socketEngine({ env, nodePath, port: () => config().probes.port }),
    rdma: rdmaEngine({ self, state, env, nodePath, platform, port: () => config().probes.port }),
  };
  const common = {
    self,
    clock,
    random,
    state,
    settings,
    requests,
    engines,
    locks: new PortLocks(nowMs),
    ledger: new SpendLedger(nowMs, settings),
    log,
    record,
  };
  const probeDevice = parts.probeDevice ?? deviceProber({ env, nodePath });
  const leases = new LeaseServer({ ...common, newTicket });
  const running = {
    ...common,
    probeDevice,
    lockDevices: (what: string) => lockDevices(parts.home, { who: 'the daemon', pid: parts.pid, what }),
    devices: () => currentDevices(state(), parts, nowMs()),
  };
  const reconciler = new Reconciler({ ...running, runner: new ProbeRunner(running) });
  const loads = new LoadRunner(running);
  const baselines = new BaselineReporting(parts);
  const stop = new AbortController();
  const request = (
    isMeant: (subject: ProbeSubject) => boolean,
    isOfAll: boolean,
  ): readonly RequestedProbe[] => reconciler.request(isMeant, isOfAll);
  const requestServer = new ProbeRequestServer({
    nodeId: self,
    state,
    nowMs,
    requests,
    request,
    load: (requested, signal) => loads.load(requested, AbortSignal.any([signal, stop.signal])),
    peers: parts.peers,
  });
  return {
    requests: requestServer,
    run: async signal => {
      for (const { subject, ports, spending, atMs } of pastSpending(parts)) {
        common.ledger.charge(ports, spending, atMs);
        if (subject !== undefined) reconciler.remember(subject, atMs);
      }
      const end = requestServer.serve();
      const until = AbortSignal.any([signal, stop.signal]);
      const work = [leases.run(until), reconciler.run(until), baselines.run(until)];
      // If one fails unexpectedly the other is ended too, because its children would remain.
      for (const one of work) one.catch(() => stop.abort());
      try {
        await Promise.all(work);
      } finally {
        end();
        stop.abort();
        await Promise.allSettled(work);
      }
    },
  };
};

/** None until every vendor's source has reported: a machine with a slow GPU source is not one without a GPU. */
const currentDevices = (
  state: State,
  { nodeId, gpuVendors }: DaemonProbesParts,
  nowMs: number,
): readonly ProbeDevice[] => {
  const views = gpuVendors.map(vendor =>
    readingView(state.nodeGpus[nodeId]?.[vendor], state.readingStatuses[nodeId]?.[`gpus ${vendor}`], nowMs),
  );
  if (views.some(({ kind }) => kind === 'waiting')) return [];
  return listProbeDevices(views.flatMap(view => knownValue(view) ?? []));
};

/** Sixteen bytes cannot be guessed in the lifetime of a lease. */
const newTicket = (): string => randomBytes(TICKET_BYTES).toString('hex');

const NOBODY: PeerRequests = {
  request: async () => ({ kind: 'unreachable', reason: 'there is no mesh' }),
  serve: () => () => undefined,
};
const TICKET_BYTES = 16;
