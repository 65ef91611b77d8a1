// The address a person opens. For a server that listens on every address it is one of them. The page signs in with a
// one-time code in the fragment, which appears in no request and no log: needed beyond loopback to see anything, on
// loopback to request something, such as a probe.

import { networkInterfaces } from 'node:os';
import type { HostPort } from '../core/address/host-port.ts';
import { httpUrl } from './http/host.ts';

/** "http://127.0.0.1:4180/" */
export const dashboardUrl = ({ host, port }: HostPort): string =>
  `${httpUrl({ host: isWildcard(host) ? reachableAddress(host) : host, port })}/`;

/** A secret as long as the code is valid: for the terminal of a person, never for what is stored. */
export const signInUrl = (listening: HostPort, code: string): string =>
  `${dashboardUrl(listening)}#code=${code}`;

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The first address of this machine that others can reach; loopback if there is none. */
const reachableAddress = (wildcard: string): string => {
  const own = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const found = own.find(({ family }) => family === 'IPv4') ?? (wildcard === '::' ? own[0] : undefined);
  return found?.address ?? '127.0.0.1';
};
