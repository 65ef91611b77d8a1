// The address a person opens. A server that listens on every address is reached by one of them. The page signs in by a
// one-time code, which travels in the fragment and so in no request and no log: beyond loopback to see anything, on
// loopback to ask for something, such as a probe.

import { networkInterfaces } from 'node:os';
import { httpUrl } from './http/host.ts';

export const dashboardUrl = (
  { host, port }: { readonly host: string; readonly port: number },
  issueCode: () => string,
): string =>
  `${httpUrl({ host: isWildcard(host) ? reachableAddress(host) : host, port })}/#code=${issueCode()}`;

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The first address of this machine that others can reach; loopback where there is none. */
const reachableAddress = (wildcard: string): string => {
  const own = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const found = own.find(({ family }) => family === 'IPv4') ?? (wildcard === '::' ? own[0] : undefined);
  return found?.address ?? '127.0.0.1';
};
