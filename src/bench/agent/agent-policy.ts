// What the owner of a machine lets others load from it. It comes from this machine's own config.toml and command
// line; no message can change it.

import { type Problem, ProblemError } from '../../core/problem.ts';

export interface LoadCaps {
  readonly requestsPerSecondMax: number;
  readonly connectionsMax: number;
  /** Duration from the first request to the target to its last reply, ms. */
  readonly durationMsMax: number;
  /** Warm-up included. */
  readonly samplesMax: number;
}

export interface AgentPolicy extends LoadCaps {
  readonly isAgent: boolean;
  /** Origins as URL.origin spells them. */
  readonly targets: readonly string[];
  readonly keys: readonly AgentKey[];
}

/** Where the key for a target is. The key itself is read when a load begins, and is not stored. */
export interface AgentKey {
  readonly origin: string;
  readonly place:
    | { readonly kind: 'variable'; readonly name: string }
    | { readonly kind: 'file'; readonly path: string };
}

export type AgentRefusal = Problem<
  'not-allowed' | 'target-not-allowed' | 'over-caps' | 'unreachable',
  { readonly cause: AgentRefusalCause }
>;

type AgentRefusalCause =
  | 'agent-off'
  | 'target-url'
  | 'target-not-listed'
  | 'target-unresolved'
  | 'target-address'
  | 'target-unreachable'
  | 'target-key'
  | 'rate'
  | 'connections'
  | 'duration'
  | 'samples';

export class AgentError extends ProblemError<AgentRefusal> {
  override readonly name = 'AgentError';
}
