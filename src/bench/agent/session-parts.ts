// Dependencies of a session with one coordinator, and how a session ended.

import type { Env } from '../../process/child.ts';
import type { AgentPolicy } from './agent-policy.ts';
import type { AgentBenchParts } from './agent-run.ts';
import type { ResolveName } from './reach-target.ts';

export interface AgentSessionParts {
  /** The current policy: a change of the config applies to the next load. */
  readonly policy: () => AgentPolicy;
  /** Name of this machine, for people. */
  readonly name: string;
  readonly bench: AgentBenchParts;
  /** Where the keys are that the policy names; children do not inherit it. */
  readonly env: Env;
  /** An existing folder for the directories of runs. */
  readonly folder: string;
  readonly resolve: ResolveName;
  /** Ends the session. */
  readonly signal: AbortSignal;
  /** Called when a load begins, and with undefined when it is over. */
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
  /** '' if there is nothing to add. */
  readonly detail: string;
  /** Folder of samples that were not acknowledged: they stay there. */
  readonly keptIn: string | undefined;
}
