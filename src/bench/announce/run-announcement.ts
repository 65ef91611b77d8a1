// What is told to a daemon about a run, and what a run needs to be told of.

import type { Report } from '../../core/run/report.ts';
import type { RunPhase } from '../../core/run/run.ts';
import type { RunConfig } from '../../core/run/run-config.ts';
import type { MetricsSnapshot } from '../../core/run/snapshot.ts';
import type { SweepPlace } from '../../core/sweep/sweep.ts';
import type { ContactOptions } from './daemon-contact.ts';

export interface AnnounceOptions extends ContactOptions {
  readonly config: RunConfig;
  /** Absolute. */
  readonly directory: string;
  readonly limits: { readonly samplesMax: number | undefined; readonly durationMs: number | undefined };
  /** Where the run is a stage of a sweep or line. */
  readonly sweep?: SweepPlace;
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
