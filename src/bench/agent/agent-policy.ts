// What the owner of a machine lets others load from it. It comes from this machine's own config.toml and command
// line; no message can change it.

import { type Problem, ProblemError } from '../../core/problem.ts';
import type { Env } from '../../process/child.ts';
import { readInputText } from '../../process/input-file.ts';
import type { HeaderField } from '../target/load-target.ts';

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
  readonly source:
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

// The API key that this machine's own config names for a target. It is read when a load begins and goes into the
// requests only. Errors name neither the key nor its location, because they are sent to the coordinator.

/** Empty if no key is configured for the origin. @throws AgentError when the configured key cannot be used. */
export const headersFor = async (
  origin: string,
  keys: readonly AgentKey[],
  env: Env,
): Promise<readonly HeaderField[]> => {
  const named = keys.find(key => key.origin === origin);
  if (named === undefined) return [];
  const key = await keyAt(named.source, env);
  if (key !== undefined) return [{ name: 'authorization', value: `Bearer ${key}` }];
  throw new AgentError({
    code: 'not-allowed',
    cause: 'target-key',
    problem: `the key that this machine has for ${origin} cannot be used`,
    advice:
      'Its owner can check it there: the variable or file in [bench] keys of config.toml has to contain the key, alone on one line.',
  });
};

/** Checked when an agent starts, so that the person who configured it sees the mistake. */
export const hasKey = async (source: AgentKey['source'], env: Env): Promise<boolean> =>
  (await keyAt(source, env)) !== undefined;

const keyAt = async (source: AgentKey['source'], env: Env): Promise<string | undefined> => {
  const text = source.kind === 'variable' ? env[source.name] : await textOf(source.path);
  const key = text?.trim() ?? '';
  return /^[\x21-\x7e]{1,8192}$/.test(key) ? key : undefined;
};

/** undefined if it cannot be read, or its size is not that of a key. */
const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return await readInputText(path, 'secret');
  } catch {
    return undefined; // reported as a key that cannot be used
  }
};
