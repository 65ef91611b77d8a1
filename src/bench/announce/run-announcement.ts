// What is told to a daemon about a run, and what a run needs to be told of.

import type { Clock } from '../../clock/clock.ts';
import type { Report } from '../../core/run/report.ts';
import type { RunPhase } from '../../core/run/run.ts';
import type { RunConfig } from '../../core/run/run-config.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';

export interface AnnounceOptions {
  /** The daemon of this machine as it is now; undefined where none runs. Asked again while none answers. */
  readonly findDaemon: () => Promise<DaemonAddress | undefined>;
  readonly clock: Clock;
  readonly config: RunConfig;
  /** Absolute. */
  readonly directory: string;
  readonly limits: { readonly samplesMax: number | undefined; readonly durationMs: number | undefined };
  /** Somebody asked the daemon that the run end. Called at most once. */
  readonly onStopAsked?: () => void;
  /** The daemon holds the run in memory alone, because its disk refuses it. Called at most once. */
  readonly onNotStored?: () => void;
}

export interface DaemonAddress {
  /** "http://127.0.0.1:4180" */
  readonly url: string;
  readonly token: string;
}

/** What the sending side knows beside the snapshot. */
export interface ClientProgress {
  readonly phase: RunPhase;
  /** Since the run's zero. */
  readonly elapsedMs: number;
  /** Since the measured phase began; 0 before. */
  readonly measuredMs: number;
}

export interface RunAnnouncement extends AsyncDisposable {
  /** Hands over the newest figures; sent at most five times a second, older ones that were not sent are dropped. */
  progress(snapshot: MetricsSnapshot, client: ClientProgress): void;
  /** Resolves when the daemon knows the end, or could not be told within three seconds. */
  end(report: Report): Promise<void>;
  /** Updates that the daemon was not told. */
  readonly updatesDropped: number;
}
