// One UDP socket on one interface, for one family. The system may deliver datagrams of other interfaces to it
// too (Linux: IP_MULTICAST_ALL); those are dropped here, so each is received by the socket of its own cable.

import { createSocket, type RemoteInfo } from 'node:dgram';
import { type BeaconEndpoint, isInNetwork } from './beacon-endpoints.ts';
import { BEACON_GROUP_IPV4, BEACON_GROUP_IPV6 } from './limits.ts';

export interface BeaconSocket extends AsyncDisposable {
  /** @throws the system's error. */
  send(bytes: Uint8Array): Promise<void>;
}

export interface BeaconSocketEvents {
  /** `address` can be dialled as it is: scoped if link-local. */
  datagram(bytes: Uint8Array, address: string): void;
  /** The socket no longer receives anything. */
  failed(error: Error): void;
}

interface BeaconSocketOptions {
  readonly port: number;
  /** Other processes on this machine receive it too. */
  readonly reachesOwnMachine: boolean;
}

/** @throws the system's error; no socket is left behind. */
export type OpenBeaconSocket = (
  endpoint: BeaconEndpoint,
  options: BeaconSocketOptions,
  events: BeaconSocketEvents,
) => Promise<BeaconSocket>;

export const openBeaconSocket: OpenBeaconSocket = async (endpoint, { port, reachesOwnMachine }, events) => {
  const isIpv6 = endpoint.family === 'IPv6';
  const socket = createSocket({ type: isIpv6 ? 'udp6' : 'udp4', reuseAddr: true, ipv6Only: isIpv6 });
  const { promise: bound, resolve, reject } = Promise.withResolvers<void>();
  const close = async (): Promise<void> => {
    const { promise, resolve: closed } = Promise.withResolvers<void>();
    socket.close(() => closed());
    await promise;
  };
  socket.once('error', reject);
  socket.on('message', (bytes, { address }: RemoteInfo) => {
    if (isOfEndpoint(address, endpoint)) events.datagram(bytes, address);
  });
  const group = isIpv6 ? `${BEACON_GROUP_IPV6}%${endpoint.interfaceName}` : BEACON_GROUP_IPV4;
  const here = isIpv6 ? `::%${endpoint.interfaceName}` : endpoint.networks[0].address;
  try {
    socket.bind(port, isIpv6 ? '::' : '0.0.0.0', resolve);
    await bound;
    socket.setMulticastInterface(here);
    socket.addMembership(isIpv6 ? BEACON_GROUP_IPV6 : group, here);
    socket.setMulticastTTL(1);
    socket.setMulticastLoopback(reachesOwnMachine);
  } catch (error) {
    await close();
    throw error;
  }
  socket.off('error', reject);
  let isOpen = true;
  socket.on('error', error => {
    if (isOpen) events.failed(error);
  });
  return {
    send: async bytes => {
      const { promise, resolve: sent, reject: unsent } = Promise.withResolvers<void>();
      socket.send(bytes, port, group, error => (error === null ? sent() : unsent(error)));
      await promise;
    },
    [Symbol.asyncDispose]: async () => {
      if (!isOpen) return;
      isOpen = false;
      await close();
    },
  };
};

const isOfEndpoint = (address: string, endpoint: BeaconEndpoint): boolean =>
  endpoint.family === 'IPv6'
    ? /^fe[89ab]/i.test(address) && address.endsWith(`%${endpoint.interfaceName}`)
    : endpoint.networks.some(network => isInNetwork(address, network));
