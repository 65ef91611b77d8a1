// Tells the daemon of this machine about a run, so that every dashboard sees it. The run never waits for it: updates are
// conflated, requests have deadlines, a daemon that is not there or dies is looked for again, and nothing here throws.

import type { Clock } from '../clock/clock.ts';
import type { Report } from '../core/run/report.ts';
import type { RunPhase } from '../core/run/run.ts';
import type { RunConfig } from '../core/run/run-config.ts';
import type { LastError } from '../core/run/run-figures.ts';
import type { MetricsSnapshot } from '../core/run/snapshot.ts';
import { RunTelling } from './announce/run-telling.ts';

export interface AnnounceOptions {
  /** The daemon of this machine as it is now; undefined where none runs. Asked again while none answers. */
  readonly findDaemon: () => Promise<DaemonAddress | undefined>;
  readonly clock: Clock;
  readonly config: RunConfig;
  /** Absolute. */
  readonly directory: string;
  readonly limits: { readonly samplesMax: number | undefined; readonly durationMs: number | undefined };
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
  readonly droppedEvents: number;
  /** The newest error of each kind; none where they are not kept. */
  readonly lastErrors: readonly LastError[];
}

export interface RunAnnouncement extends AsyncDisposable {
  /** Hands over the newest figures; sent at most five times a second, older ones that were not sent are dropped. */
  progress(snapshot: MetricsSnapshot, client: ClientProgress): void;
  /** Resolves when the daemon knows the end, or could not be told within three seconds. */
  end(report: Report): Promise<void>;
  /** Updates that the daemon was not told. */
  readonly updatesDropped: number;
}

/** Resolves at once; whether there is a daemon is found out in the background. Never throws. */
export const announceRun = async (options: AnnounceOptions): Promise<RunAnnouncement> => {
  const telling = new RunTelling(options);
  telling.start();
  return telling;
};
