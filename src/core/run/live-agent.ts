// What one agent does in a run in progress, and the same as rows of a table in text and on the page: a slow,
// lost or untrustworthy agent is visible before the end.

import { formatCount, formatThreeDigits } from '../figure/figure.ts';
import { isUnknown, type Reported } from '../unknown.ts';
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

export const LIVE_AGENT_COLUMNS: readonly string[] = [
  'agent',
  'issued',
  'completed',
  'failed',
  'in flight',
  'requests/s',
  'so far',
];

/** One row each, with the cells of LIVE_AGENT_COLUMNS. */
export const liveAgentRows = (agents: readonly LiveAgent[]): readonly (readonly string[])[] =>
  agents.map(({ agent, state, counts, requestsPerSecond, verdict }) => [
    agent,
    ...[counts.issued, counts.completed, counts.failed, Math.max(0, counts.unresolved)].map(formatCount),
    isUnknown(requestsPerSecond) ? '–' : formatThreeDigits(requestsPerSecond),
    state === 'lost' ? 'lost' : verdict,
  ]);

/** For agents with a problem. */
export const liveAgentRemarks = (agents: readonly LiveAgent[]): readonly string[] =>
  agents.flatMap(({ agent, reason }) => (reason === '' ? [] : [`${agent}: ${reason}`]));
