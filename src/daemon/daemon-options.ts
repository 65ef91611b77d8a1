// The options of a daemon and what it reports about itself. Everything about the process (its number, environment,
// resource usage) is passed in, so a test can run daemons in its own process.

import type { Clock } from '../clock/clock.ts';
import type { LogFormat, LogLevel } from '../config/value-kinds.ts';
import type { HostPort } from '../core/address/host-port.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import type { HistoryQuery, HistoryRow } from '../journal/journal.ts';
import type { DiscoveryWay } from '../mesh/discovery/beacon-endpoints.ts';
import type { MeshIdentity, MeshTransport } from '../mesh/mesh.ts';
import type { ProbeDeviceNow } from '../probe/probe.ts';
import type { Env } from '../process/child.ts';
import type { Notice } from '../wire/notice.ts';
import type { JobOptions } from './jobs/job-runner.ts';
import type { DaemonLog } from './log/daemon-log.ts';
import type { ProbeRequestServer } from './probes/probe-request-server.ts';

export interface DaemonOptions {
  /** Absolute; created if missing. */
  readonly home: string;
  readonly env: Env;
  /** --http; undefined: the value in config.toml. */
  readonly http: HostPort | undefined;
  /** --name; undefined: the value in config.toml, else the machine's own. */
  readonly name: string | undefined;
  /** Default: the key of the home and the settings in config.toml. */
  readonly mesh?: MeshOptions;
  /** Active measurements; undefined: none, and no leases for others. */
  readonly probes?: ProbeOptions;
  /** --otlp; undefined: the value in config.toml. */
  readonly otlpEndpoint?: string | undefined;
  /** The daemon plays a simulated machine. */
  readonly simulation?: SimulatedMachinePart;
  readonly clock: Clock;
  /** As Node names it: "linux", "darwin", "win32". */
  readonly platform: string;
  /** Prefix of /proc, /sys and /etc; "/" except in tests. */
  readonly root: string;
  readonly version: string;
  /** How to type the command where the daemon was started; undefined: the installed name. */
  readonly program?: string;
  /** The folder of the built dashboard; undefined: none is served. */
  readonly dashboardDir: string | undefined;
  readonly pid: number;
  readonly resources: () => ProcessResources;
  /** What requests may start; undefined: nothing. */
  readonly jobs?: JobOptions;
  /** Called with each new notice for a person: one or two lines. */
  readonly onNotice: (notice: Notice) => void;
  /** Undefined: no log is written. */
  readonly logOutput?: LogOutput;
}

export interface LogOutput {
  /** One line with its line break. */
  readonly write: (line: string) => void;
  /** --log-level and --log-format; undefined: the values in config.toml. */
  readonly level: LogLevel | undefined;
  readonly format: LogFormat | undefined;
  /** A person reads along: less is written by default. */
  readonly isTerminal: boolean;
}

/**
 * What a simulated node has instead of a machine and a network: no gatherer reads this computer, no address is checked,
 * nothing is measured, and no packet leaves the process.
 */
export interface SimulatedMachinePart {
  /** Not started yet; in place of TLS. */
  transport(identity: MeshIdentity, start: number): MeshTransport;
  /** Replaces gatherers and probes: emits events with their ages until the signal aborts. */
  run(record: (fact: Fact, ageMs: number) => void, signal: AbortSignal): Promise<void>;
  /** Takes requests for probes, of every simulated node. */
  readonly probes: Pick<ProbeRequestServer, 'request' | 'load'>;
  /** Profiles from before the daemon started, ascending by time; its journal has later ones. */
  history(query: HistoryQuery): readonly HistoryRow[];
}

export interface ProbeOptions {
  /** process.execPath, for the children that measure. */
  readonly nodePath: string;
  /** --probes; undefined: the value in config.toml. */
  readonly mode: 'off' | undefined;
  /** What measures devices; undefined: the engines of this machine. */
  readonly probeDevice?: ProbeDeviceNow;
}

export interface MeshOptions {
  /** --cluster-key-file; undefined: the key of the home. Without either there is no mesh. */
  readonly keyFile: string | undefined;
  /** --mesh; undefined: the value in config.toml. */
  readonly listen: HostPort | 'off' | undefined;
  /** --discovery; undefined: the value in config.toml. */
  readonly discovery?: DiscoveryWay;
  /** --peer, in addition to those in config.toml. */
  readonly peers: readonly string[];
}

export interface ProcessResources {
  /** User and system time since the process started. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

export interface Daemon extends AsyncDisposable {
  readonly nodeId: NodeId;
  readonly log: DaemonLog;
  /** "http://127.0.0.1:4180", without a path. */
  readonly url: string;
  /** What to open in a browser. */
  readonly dashboardUrl: string;
  /** The same with a new one-time code in its fragment, a secret: for the terminal of a person, never for what is stored. */
  signInUrl(): string;
  /** Where peers reach this node; undefined while there is no mesh. */
  readonly meshAddress: HostPort | undefined;
  readonly notices: readonly Notice[];
  readonly state: State;
  nowMs(): number;
  /** Resolves once every reading was reported, failed or was absent, or when the signal aborts. */
  whenFirstReadings(signal: AbortSignal): Promise<void>;
  /** Resolves when the daemon has stopped, rejects if a part of it failed unexpectedly. */
  readonly stopped: Promise<void>;
}
