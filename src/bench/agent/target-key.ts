// The API key that this machine's own config names for a target. It is read when a load begins, goes into the requests and
// nowhere else; what goes wrong is told without the key and without its place, because a coordinator hears of it.

import type { Env } from '../../process/child.ts';
import { readInputText } from '../../process/input-file.ts';
import type { HeaderField } from '../target/load-target.ts';
import { AgentError, type AgentKey } from './agent-policy.ts';

/** None where no key is named for the origin. @throws AgentError when the one that is named cannot be used. */
export const headersFor = async (
  origin: string,
  keys: readonly AgentKey[],
  env: Env,
): Promise<readonly HeaderField[]> => {
  const named = keys.find(key => key.origin === origin);
  if (named === undefined) return [];
  const key = await keyAt(named.place, env);
  if (key !== undefined) return [{ name: 'authorization', value: `Bearer ${key}` }];
  throw new AgentError({
    code: 'not-allowed',
    cause: 'target-key',
    problem: `the key that this machine has for ${origin} cannot be used`,
    advice:
      'Whoever runs it can look there: the variable or file in [bench] keys of config.toml has to hold the key, alone on one line.',
  });
};

/** Asked where an agent is started, so that whoever made the slip hears of it. */
export const hasKey = async (place: AgentKey['place'], env: Env): Promise<boolean> =>
  (await keyAt(place, env)) !== undefined;

const keyAt = async (place: AgentKey['place'], env: Env): Promise<string | undefined> => {
  const text = place.kind === 'variable' ? env[place.name] : await textOf(place.path);
  const key = text?.trim() ?? '';
  return /^[\x21-\x7e]{1,8192}$/.test(key) ? key : undefined;
};

/** undefined for what cannot be read, or is no key by its size. */
const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return await readInputText(path, 'secret');
  } catch {
    return undefined; // told as a key that cannot be used
  }
};
