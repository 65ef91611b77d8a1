// A real server on a real port over a real folded state, with a clock that moves only on request.

import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { Cluster } from '../../../src/daemon/cluster.ts';
import { Access } from '../../../src/daemon/http/access.ts';
import {
  HTTP_LIMITS,
  type HttpLimits,
  type HttpServerOptions,
  type ProfileHistoryQuery,
} from '../../../src/daemon/http/http-options.ts';
import { createHttpServer, type HttpServer } from '../../../src/daemon/http/http-server.ts';
import type { HistoryRow } from '../../../src/journal/journal.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const TOKEN = 'token-of-the-test-0123456789-abcdefghijklmn';
export const SELF: NodeId = nodeId('self'.padEnd(26, 'a'));
export const OTHER: NodeId = nodeId('other'.padEnd(26, 'b'));

interface ServedOptions {
  readonly host?: string;
  readonly port?: number;
  readonly isExplicitPort?: boolean;
  readonly limits?: Partial<HttpLimits>;
  readonly dashboardDir?: string;
  readonly hostNames?: readonly string[];
  readonly home?: string;
  readonly rows?: readonly HistoryRow[];
  readonly probes?: HttpServerOptions['probes'];
  readonly readiness?: HttpServerOptions['readiness'];
}

export interface ServedCluster extends AsyncDisposable {
  readonly server: HttpServer;
  readonly cluster: Cluster;
  readonly clock: VirtualClock;
  readonly access: Access;
  readonly port: number;
  readonly notice: Notice | undefined;
  readonly warnings: readonly string[];
  readonly requested: readonly ProfileHistoryQuery[];
  /** Numbers facts as their origin would and folds them. */
  report(origin: NodeId, ...facts: readonly Fact[]): void;
}

export const serveCluster = async (options: ServedOptions = {}): Promise<ServedCluster> => {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  const access = new Access({ clock, token: TOKEN, hostNames: options.hostNames ?? [] });
  const warnings: string[] = [];
  const requested: ProfileHistoryQuery[] = [];
  const server = createHttpServer({
    nodeId: SELF,
    version: '0.1.0',
    clock,
    cluster: {
      get state() {
        return cluster.state;
      },
      subscribe: listener => cluster.subscribe(listener),
      history: cluster.history,
      profileHistory: query => {
        requested.push(query);
        return options.rows ?? [];
      },
    },
    ...(options.probes === undefined ? {} : { probes: options.probes }),
    ...(options.readiness === undefined ? {} : { readiness: options.readiness }),
    dashboardDir: options.dashboardDir,
    access,
    limits: { ...HTTP_LIMITS, ...options.limits },
    notices: () => [CONFIG_NOTICE],
    resources: () => ({ cpuSeconds: 1.5, residentBytes: 90_000_000 }),
    home: options.home,
    logger: { warn: message => warnings.push(message) },
  });
  const { port, notice } = await server.listen({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    isExplicitPort: options.isExplicitPort ?? true,
  });
  const seqs = new Map<string, number>();
  const number = (origin: NodeId, fact: Fact): Event => {
    const kindClass = eventClass(fact.kind);
    const seq = (seqs.get(origin + kindClass) ?? 0) + 1;
    seqs.set(origin + kindClass, seq);
    const head = { origin, epoch: 1, class: kindClass, seq, key: factKey(fact), ageMs: 0 };
    return { ...head, receivedAtMs: clock.nowMs(), ...fact };
  };
  return {
    server,
    cluster,
    clock,
    access,
    port,
    notice,
    warnings,
    requested,
    report: (origin, ...facts) => cluster.dispatch(facts.map(fact => number(origin, fact))),
    [Symbol.asyncDispose]: () => server.close(),
  };
};

export const CONFIG_NOTICE: Notice = {
  id: 'config-broken',
  code: 'config-broken',
  problem: 'config.toml has an error in line 3',
  advice: 'Fix it.',
  line: 3,
};

export const memoryFact = (totalBytes: number): Fact => ({
  kind: 'memory.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 500,
    value: {
      totalBytes,
      availableBytes: totalBytes / 2,
      swapTotalBytes: { kind: 'unknown', reason: 'no swap' },
      swapUsedBytes: 0,
      pressure: { level: 'normal', stalledShare: { kind: 'unknown', reason: 'no PSI' } },
      container: { kind: 'none' },
    },
  },
});

export const identityFact = (friendlyName: string): Fact => ({
  kind: 'identity.gathered',
  payload: {
    source: 'dmi',
    intervalMs: 30_000,
    value: {
      friendlyName,
      hostName: 'host',
      model: { kind: 'unknown', reason: 'no DMI' },
      chip: 'chip',
      architecture: 'x64',
      cpuCount: 2,
      operatingSystem: { platform: 'linux', name: 'Linux', version: '1', build: '6' },
      memoryIsUnified: false,
      virtualisation: 'none',
      plimsollVersion: '0.1.0',
      isSimulated: false,
    },
  },
});

/** Of a machine at Greenwich. */
export const placeFact = (rack: string): Fact => ({
  kind: 'config.gathered',
  payload: {
    source: 'config.toml',
    intervalMs: 30_000,
    value: {
      tags: ['team=search'],
      site: 'greenwich',
      rack,
      machineKind: 'HGX H200',
      ignoredInterfaces: [],
      staticPeerCount: 0,
      probes: { isEnabled: true, gpuTtlSeconds: 1, socketTtlSeconds: 1, rdmaTtlSeconds: 1 },
      makesLoad: false,
      webhooks: [],
      servedEndpoints: [],
    },
  },
});
