// Waits for a server that is starting: until it lists its models, or replies with anything but an error of its own.

import { type Clock, pause } from '../../clock/clock.ts';
import { excludes, optionsIn } from '../../core/option/option.ts';
import { duration } from '../../core/option/option-values.ts';
import { BenchError } from '../bench-error.ts';
import type { ServerApi } from './api/server-api.ts';
import { fetchText } from './fetch-text.ts';
import type { HeaderField } from './load-target.ts';
import { type BenchTarget, modelsPath } from './target-url.ts';

const LIMIT = duration(1, 86_400_000);

export const WAIT = {
  waitMs: optionsIn('When requests end').value({
    name: 'wait',
    aliases: ['ready-check-timeout-sec'],
    rules: [excludes(['from', 'agents'], { because: 'other machines send the requests' })],
    valueName: 'D',
    meaning:
      'Wait up to this long until the server answers, before anything is measured. Default: not at all.',
    schema: LIMIT.schema,
    parse: text => LIMIT(/^\d+$/.test(text) ? `${text}s` : text),
  }),
};

export interface AwaitedServer {
  readonly clock: Clock;
  readonly target: BenchTarget;
  readonly api: ServerApi;
  readonly headers: readonly HeaderField[];
}

/** A server that is loading its model replies with 503, or not at all. */
export const serverState = async (
  { target, api, headers }: AwaitedServer,
  signal: AbortSignal,
): Promise<'nobody' | 'not-yet' | 'ready'> => {
  const reply = await fetchText({
    server: target.server,
    path: modelsPath(target, api),
    headers,
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal,
  });
  if (reply.kind === 'no-connection') return 'nobody';
  return reply.kind === 'answer' && reply.status < 500 ? 'ready' : 'not-yet';
};

/**
 * @param limit how long to wait, and the sentences of the error after that; `check` is called between two requests and may throw
 * @throws BenchError `unreachable` after that time; the signal's reason
 */
export const awaitServer = async (
  server: AwaitedServer,
  limit: {
    readonly waitMs: number;
    readonly problem: string;
    readonly advice: string;
    readonly check?: () => void;
  },
  signal: AbortSignal,
): Promise<void> => {
  const limitMs = server.clock.nowMs() + limit.waitMs;
  while ((await serverState(server, signal)) !== 'ready') {
    limit.check?.();
    signal.throwIfAborted();
    if (server.clock.nowMs() > limitMs)
      throw new BenchError({ code: 'unreachable', problem: limit.problem, advice: limit.advice });
    await pause(server.clock, REQUEST_PAUSE_MS, signal);
  }
};

const REQUEST_PAUSE_MS = 250;
const REQUEST_TIMEOUT_MS = 5_000;
