// What a session with one coordinator is given, and how it ended.

import type { Env } from '../../process/child.ts';
import type { AgentPolicy } from './agent-policy.ts';
import type { AgentBenchParts } from './agent-run.ts';
import type { ResolveName } from './reach-target.ts';

export interface AgentSessionParts {
  /** As it is now: a change of the config applies to the next load. */
  readonly policy: () => AgentPolicy;
  /** Of this machine, for people. */
  readonly name: string;
  readonly bench: AgentBenchParts;
  /** Where the keys are that the policy names; children do not get it. */
  readonly env: Env;
  /** An existing folder for the directories of runs. */
  readonly folder: string;
  readonly resolve: ResolveName;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** A load begins, or is over. */
  readonly onLoad?: (load: AgentLoad | undefined) => void;
}

export interface AgentLoad {
  /** Scheme, host, port and path. */
  readonly target: string;
  readonly runId: string;
}

/** How it ended, for people. */
export interface AgentSessionEnd {
  readonly peer: string;
  readonly kind: 'done' | 'refused' | 'lost' | 'nothing';
  /** '' where there is nothing to add. */
  readonly detail: string;
  /** Samples that nobody has acknowledged: they stay there. */
  readonly keptIn: string | undefined;
}
