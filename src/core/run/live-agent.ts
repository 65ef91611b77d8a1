// What one agent does in a run in progress: a slow, lost or untrustworthy agent is visible before the end.

import type { Reported } from '../unknown.ts';
import type { SampleCounts } from './outcome.ts';
import type { ReportAgent } from './report-agent.ts';

export type LiveAgent = {
  /** Name of the node, or its address. */
  readonly agent: string;
  readonly state: 'loading' | 'lost';
  /** In the measured phase; `unresolved` are in flight, or unknown for a lost one. */
  readonly counts: SampleCounts;
  /** Completed ones, over its own window. */
  readonly requestsPerSecond: Reported<number>;
  readonly verdict: ReportAgent['verdict'];
  /** Why it is lost or not trustworthy; '' if all is well. */
  readonly reason: string;
};
