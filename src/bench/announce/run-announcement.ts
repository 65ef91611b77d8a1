// What is reported to a daemon about a run, and what a run needs for it.

import type { Report } from '../../core/run/report.ts';
import type { RunPhase } from '../../core/run/run.ts';
import type { RunConfig } from '../../core/run/run-config.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { SweepPlace } from '../../core/sweep/sweep.ts';
import type { ContactOptions } from './daemon-contact.ts';

export interface AnnounceOptions extends ContactOptions {
  readonly config: RunConfig;
  /** Absolute path. */
  readonly directory: string;
  readonly limits: { readonly samplesMax: number | undefined; readonly durationMs: number | undefined };
  /** Present if the run is a stage of a sweep or line. */
  readonly sweep?: SweepPlace;
}

/** What the client adds to the snapshot. */
export interface ClientProgress {
  readonly phase: RunPhase;
  /** ms since the run's zero. */
  readonly elapsedMs: number;
  /** ms since the measured phase began; 0 before it. */
  readonly measuredMs: number;
}

export interface RunAnnouncement extends AsyncDisposable {
  /** Passes on the newest figures; sent at most five times a second, older ones that were not sent are dropped. */
  progress(snapshot: MetricsSnapshot, client: ClientProgress): void;
  /** Resolves when the daemon has the end, or three seconds have passed. */
  end(report: Report): Promise<void>;
  /** Updates that were not sent to the daemon. */
  readonly updatesDropped: number;
}
