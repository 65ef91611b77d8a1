// Benchmark runs and runners as the cluster sees them. The run's own figures travel in snapshots.

import type { NodeId, RunId } from '../ids.ts';
import type { Reported } from '../unknown.ts';

export interface Run {
  readonly runId: RunId;
  /** Scheme, host and port; never credentials. */
  readonly target: string;
  readonly targetNode: Reported<NodeId>;
  readonly model: Reported<string>;
  readonly state: 'running' | 'complete' | 'incomplete' | 'interrupted' | 'failed';
}

/** Newest figures of a running run: metric name to value, in the unit its name ends with. */
export interface RunProgress {
  readonly runId: RunId;
  readonly phase: 'warmup' | 'measuring' | 'draining';
  readonly figures: Readonly<Record<string, number>>;
}

/** Something that serves or generates inference now. A lease: nobody counts one older than 10 s. */
export interface Runner {
  readonly runnerKey: string;
  readonly source: 'run' | 'endpoint';
  readonly targetNode: Reported<NodeId>;
  readonly requestsInFlight: Reported<number>;
}
