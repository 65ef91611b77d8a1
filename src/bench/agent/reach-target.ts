// The last step of admission, over the network: the name is resolved once, all its addresses are checked, and the
// whole load goes to the first one that accepts a connection.

import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { errorCode, shortReason } from '../../core/problem.ts';
import type { BenchTarget } from '../target/target-url.ts';
import { admitAddresses, pinnedTo } from './admit-target.ts';
import { AgentError } from './agent-policy.ts';

/** All addresses of a name, in the order in which they should be tried; none when there is no such name. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

interface ReachOptions {
  readonly resolve: ResolveName;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** @throws AgentError; the signal's reason. */
export const reachTarget = async (target: BenchTarget, options: ReachOptions): Promise<BenchTarget> => {
  const { host, port } = target.server;
  const admission = admitAddresses(host, isIP(host) === 0 ? await options.resolve(host) : [host]);
  options.signal.throwIfAborted();
  if (admission.kind === 'refused') throw new AgentError(admission.refusal);
  const failures: string[] = [];
  for (const address of admission.addresses) {
    const failure = await tried(address, port, options);
    options.signal.throwIfAborted();
    if (failure === undefined) return pinnedTo(target, address);
    failures.push(`${address}: ${failure}`);
  }
  throw new AgentError({
    code: 'unreachable',
    cause: 'target-unreachable',
    problem: `${target.shown} cannot be reached from that machine: ${failures.slice(0, REPORTED_MAX).join(', ')}`,
    advice: 'Check that the server runs, and that the machine can reach it.',
  });
};

/** Resolves names as the system does, its hosts file included. */
export const systemNames: ResolveName = async name => {
  try {
    return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
};

/** Returns why it failed; undefined when it accepted a connection. */
const tried = async (
  host: string,
  port: number,
  { timeoutMs, signal }: ReachOptions,
): Promise<string | undefined> => {
  const socket = connect({ host, port, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  socket.once('connect', () => resolve(undefined));
  socket.on('error', error =>
    resolve(error.name === 'AbortError' ? `no connection within ${timeoutMs} ms` : shortReason(error)),
  );
  const failure = await promise;
  socket.destroy();
  return failure;
};

const REPORTED_MAX = 3;
