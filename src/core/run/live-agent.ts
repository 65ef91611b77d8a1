// What one agent does of a run while it goes on, and the same as rows of a table in text and on the page: who is slow, lost or
// not to be believed is seen before the end.

import { formatCount, formatThreeDigits } from '../figure/figure.ts';
import { isUnknown, type Reported } from '../unknown.ts';
import type { SampleCounts } from './outcome.ts';
import type { ReportAgent } from './report-agent.ts';

export type LiveAgent = {
  /** Of the node, or its address. */
  readonly agent: string;
  readonly state: 'loading' | 'lost';
  /** Of the measured phase; `unresolved` are in flight, or of a lost one nobody knows. */
  readonly counts: SampleCounts;
  /** Completed ones, of its own window. */
  readonly requestsPerSecond: Reported<number>;
  readonly verdict: ReportAgent['verdict'];
  /** Why it is lost or not trustworthy; '' where it is well. */
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

/** A row each, as LIVE_AGENT_COLUMNS names its cells. */
export const liveAgentRows = (agents: readonly LiveAgent[]): readonly (readonly string[])[] =>
  agents.map(({ agent, state, counts, requestsPerSecond, verdict }) => [
    agent,
    ...[counts.issued, counts.completed, counts.failed, Math.max(0, counts.unresolved)].map(formatCount),
    isUnknown(requestsPerSecond) ? '–' : formatThreeDigits(requestsPerSecond),
    state === 'lost' ? 'lost' : verdict,
  ]);

/** Of those that are not well. */
export const liveAgentRemarks = (agents: readonly LiveAgent[]): readonly string[] =>
  agents.flatMap(({ agent, reason }) => (reason === '' ? [] : [`${agent}: ${reason}`]));
