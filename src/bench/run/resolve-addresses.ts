// The addresses of a target's name, so that its load goes to all of them: one name is often several servers.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Clock, pause } from '../../clock/clock.ts';
import type { TargetServer } from '../target/load-target.ts';

export type AddressLookup = (host: string) => Promise<readonly string[]>;

/** undefined: there is one; or none, which the connections report. */
export const resolveAddresses = async (
  { host, socketPath }: Pick<TargetServer, 'host' | 'socketPath'>,
  {
    resolve = systemResolve,
    clock,
    signal,
  }: {
    readonly resolve?: AddressLookup | undefined;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<readonly string[] | undefined> => {
  // RFC 6761 §6.3: always this machine, on any of its addresses.
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  if (socketPath !== undefined || isIP(host) !== 0 || isLocal) return undefined;
  const over = new AbortController();
  const found = await Promise.race([
    resolve(host).catch((): readonly string[] => []),
    pause(clock, RESOLVE_MS_MAX, AbortSignal.any([signal, over.signal])).then((): readonly string[] => []),
  ]);
  over.abort();
  const addresses = [...new Set(found)].slice(0, ADDRESSES_MAX);
  return addresses.length > 1 ? addresses : undefined;
};

/** In the resolver's order. */
const systemResolve: AddressLookup = async host =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

const RESOLVE_MS_MAX = 5_000;
const ADDRESSES_MAX = 16;
