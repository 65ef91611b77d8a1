// What the HTTP server needs from the rest of the daemon, and its limits. Everything is passed in by the composition
// root, so a test can serve a real cluster state without a daemon.

import type { Clock } from '../../clock/clock.ts';
import type { Event } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';
import type { LinkForgetting } from '../../core/link/forget-link.ts';
import type { HistorySeries } from '../../core/live-history.ts';
import type { Forgetting } from '../../core/node/forget.ts';
import type { State } from '../../core/state.ts';
import type { HistoryRow } from '../../journal/journal.ts';
import type { OtlpAnswer, ServedRecording, WebhookAnswer } from '../../wire/api/daemon-answers.ts';
import type { MeshStatus } from '../../wire/mesh-status.ts';
import type { Notice } from '../../wire/notice.ts';
import type { AgentQueries } from '../agent-queries.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { Joining } from '../mesh/joining.ts';
import type { ProbeRequestServer } from '../probes/probe-request-server.ts';
import type { Readiness } from '../readiness.ts';
import type { ComparisonTypes } from '../runs/comparison-kind.ts';
import type { DocumentRegistry } from '../runs/document-registry.ts';
import type { PlainTypes } from '../runs/plain-kind.ts';
import type { RunComparisons } from '../runs/run-comparisons.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import type { SweepTypes } from '../runs/sweep-kind.ts';
import type { Access } from './access.ts';

export interface HttpServerOptions {
  readonly nodeId: NodeId;
  readonly version: string;
  /** How the command is typed; undefined: as it is installed. */
  readonly program?: string;
  readonly clock: Clock;
  readonly cluster: ClusterFeed;
  /** Receives announcements of benchmarks; undefined: none are accepted, as in most tests. */
  readonly runs?: RunRegistry;
  /** Compares finished runs; undefined: none are compared. */
  readonly comparisons?: RunComparisons;
  /** Receives announcements of comparisons that go on; undefined: none are accepted. */
  readonly comparing?: DocumentRegistry<ComparisonTypes>;
  /** The same for sweeps and searches. */
  readonly sweeps?: DocumentRegistry<SweepTypes>;
  /** The same for plain documents. */
  readonly documents?: DocumentRegistry<PlainTypes>;
  /** Starts what requests ask for; undefined: nothing is started. */
  readonly jobs?: JobRunner;
  /** Receives requests for probes; undefined: nothing is measured. */
  readonly probes?: Pick<ProbeRequestServer, 'request' | 'load'>;
  /** Asks nodes for their agents; undefined: there are none to ask. */
  readonly agents?: Pick<AgentQueries, 'request'>;
  /** The expected nodes and the state of their addresses; undefined: there is no mesh. */
  readonly mesh?: () => MeshStatus;
  /** What was sent to a receiver of OpenTelemetry; undefined: none is set, as in most tests. */
  readonly otlp?: () => OtlpAnswer | undefined;
  readonly webhooks?: () => readonly WebhookAnswer[];
  /** Brings this node into a cluster and out of it; undefined: it stays where it is, as in most tests. */
  readonly joining?: Pick<Joining, 'issueCode' | 'standingOf' | 'join' | 'leave'>;
  /** What this daemon waits for before it can be used; undefined: nothing, as in most tests. */
  readonly readiness?: Pick<Readiness, 'missing'>;
  /** Hides a node that is gone; undefined: nothing can be forgotten here. */
  readonly forget?: (subject: NodeId) => Forgetting;
  /** Hides the paths that are lost between two nodes; undefined in the same case. */
  readonly forgetLink?: (nodes: readonly [NodeId, NodeId]) => LinkForgetting;
  /** The folder of the built dashboard; undefined when none was built. */
  readonly dashboardDir: string | undefined;
  readonly access: Access;
  readonly limits: HttpLimits;
  /** What a person should know now: a broken config file, a journal that was moved aside. */
  readonly notices: () => readonly Notice[];
  /** The daemon's own use of the machine, for /metrics. */
  readonly resources: () => DaemonResources;
  /** The home directory; shown in /api/daemon only while the server is bound to loopback. */
  readonly home: string | undefined;
  readonly logger?: HttpLogger;
  /** What is served was recorded; undefined: it is live. */
  readonly recording?: ServedRecording;
}

/** The cluster as the server sees it: the newest state, the events that lead to it, and what was before. */
export interface ClusterFeed {
  /** Includes every event already passed to a listener. */
  readonly state: State;
  /**
   * Calls the listener after the events were applied, and `onReplaced` when state has changed without events.
   * Returns the end of the subscription.
   */
  subscribe(listener: (events: readonly Event[]) => void, onReplaced?: () => void): () => void;
  readonly history: { series(node: NodeId, nowMs: number): HistorySeries };
  /** Rows of one (origin, slot, key) from the journal, ascending, at most `limit`, the newest. */
  profileHistory(query: ProfileHistoryQuery): readonly HistoryRow[];
}

export interface ProfileHistoryQuery {
  readonly origin: NodeId;
  readonly slot: string;
  readonly key: string;
  readonly sinceWallMs: number;
  readonly limit: number;
}

export interface DaemonResources {
  /** User and system time since the process started. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

export interface HttpLogger {
  /** `message` is for a person; `cause` is the error itself, for a log. */
  warn(message: string, cause?: unknown): void;
}

export const HTTP_LIMITS = {
  bodyBytesMax: 64 * 1024,
  /** Of bodies that are not whole, over all requests; past it the one that holds most is cut off. */
  bodiesBytesMax: 8 * 1024 * 1024,
  /** Request line and headers together. */
  headerBytesMax: 16 * 1024,
  urlBytesMax: 4_096,
  connectionsMax: 512,
  /** Of these: for connections on which the token was shown. */
  connectionsKept: 128,
  /** Of one address beyond loopback, on which the token was not shown. */
  connectionsOfAddressMax: 64,
  /** Over the Unix socket in the home, in addition to all others. */
  connectionsOwnerMax: 128,
  /** Requests of one connection that wait for the reply to one before them; past it the connection is cut. */
  pipelinedMax: 16,
  /** Connections that get a reply that reports that all slots are taken. */
  refusalsOpenMax: 64,
  /** From the first byte of a connection, or from the end of the request before, to the end of the headers. */
  headersTimeoutMs: 10_000,
  /** The same, to the end of the body. */
  requestTimeoutMs: 30_000,
  /** How often connections are checked against those two. */
  connectionsCheckMs: 2_000,
  /** An idle connection; streams have a heartbeat. */
  idleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 10_000,
  /** Of one remote address; the burst is twice that. */
  requestsPerSecondMax: 500,
  /** Refused tokens and codes of one remote address, in a minute. */
  refusalsPerMinuteMax: 30,
  /** Remote addresses that rates are kept for. */
  rateAddressesMax: 1_024,
  /** Replies to requests without the token, not counting streams, that wait for slow readers. */
  answersMax: 64,
  /** In addition: for requests with the token. */
  answersOwnerMax: 64,
  /** Of either, bytes that the readers have not taken; the last one may pass it. */
  answersBytesMax: 128 * 1024 * 1024,
  /** While all of them wait, the oldest one that has waited this long is closed, ms; the same for a stream whose client reads nothing. */
  silentUnderPressureMs: 5_000,
  /** Of requests without the token. */
  streamsMax: 256,
  /** In addition: for requests with the token. */
  streamsOwnerMax: 64,
  /** Of requests without the token: of the whole state, where that is large. */
  wholeStreamsMax: 4,
  /** First event to the batch that carries it. */
  streamFlushMs: 100,
  streamHeartbeatMs: 5_000,
  /** Bytes queued for one stream, its first snapshot not counted. */
  streamQueueBytesMax: 1024 * 1024,
  /** How long a dropped stream may take to read the reason. */
  streamDrainMs: 5_000,
  /** A stream whose queue moved nothing for this long is dropped, however short the queue. */
  streamStallMs: 30_000,
  /** Batches stored for streams that resume. */
  resumeBatchesMax: 600,
  resumeBytesMax: 4 * 1024 * 1024,
  /** Events waiting for the next batch; past it every stream gets a new snapshot instead. */
  pendingEventsMax: 20_000,
  /** Connections with figures in /metrics, the answering node's first; the rest is only counted. */
  metricsConnectionsMax: 1_000,
  /** A file of the dashboard, and the number of files. */
  assetBytesMax: 16 * 1024 * 1024,
  assetsMax: 1_000,
};

export type HttpLimits = Readonly<typeof HTTP_LIMITS>;
