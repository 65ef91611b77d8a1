// Datagrams over UDP: one socket per family on one port, because a dual-stack socket writes IPv4 addresses in a form
// that not every system can send to. A machine without one of the families uses the other.

import { createSocket, type Socket } from 'node:dgram';
import { isIP, isIPv4 } from 'node:net';
import type { HostPort } from '../../core/address/host-port.ts';
import { errorCode } from '../../core/problem.ts';
import type { DatagramAddress, DatagramListener, DatagramPort } from './datagram-port.ts';

interface UdpOptions {
  /** "::" takes IPv4 as well; port 0 any free one. */
  readonly listen: HostPort;
  readonly onDatagram: DatagramListener;
}

/** @throws the system's error; no socket is left behind. */
export const openUdpDatagrams = async (options: UdpOptions): Promise<DatagramPort> => {
  const { host, port } = options.listen;
  if (host !== '::') {
    const only = await bind(isIP(host) === 6 ? 'udp6' : 'udp4', options, port);
    return new UdpDatagrams(isIP(host) === 6 ? undefined : only, isIP(host) === 6 ? only : undefined);
  }
  for (let tries = 1; ; tries += 1) {
    const six = await bindIfThere('udp6', options, port);
    try {
      const four = await bindIfThere(
        'udp4',
        { ...options, listen: { host: '0.0.0.0', port } },
        portOf(six) ?? port,
      );
      if (six === undefined && four === undefined) throw new Error('this machine has neither IPv4 nor IPv6');
      return new UdpDatagrams(four, six);
    } catch (error) {
      await close(six);
      // A port that is free in one family may be taken in the other.
      if (port !== 0 || errorCode(error) !== 'EADDRINUSE' || tries >= TRIES_MAX) throw error;
    }
  }
};

class UdpDatagrams implements DatagramPort {
  readonly #four: Socket | undefined;
  readonly #six: Socket | undefined;
  #closed: Promise<void> | undefined;

  constructor(four: Socket | undefined, six: Socket | undefined) {
    this.#four = four;
    this.#six = six;
  }

  get port(): number {
    return portOf(this.#six) ?? portOf(this.#four) ?? 0;
  }

  async send(bytes: Uint8Array, { address, port }: DatagramAddress): Promise<void> {
    const socket = isIPv4(address) ? this.#four : this.#six;
    if (socket === undefined || this.#closed !== undefined) throw noFamily(address);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.send(bytes, port, address, error => (error === null ? resolve() : reject(error)));
    await promise;
  }

  async sourceAddressTowards({ address, port }: DatagramAddress): Promise<string> {
    const socket = createSocket(isIP(address) === 4 ? 'udp4' : 'udp6');
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    socket.once('error', reject);
    try {
      // Connecting a UDP socket sends nothing: the system only looks up the route.
      socket.connect(port, address, (error?: Error) =>
        error == null ? resolve(socket.address().address) : reject(error),
      );
      return await promise;
    } finally {
      socket.on('error', () => undefined);
      await close(socket);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= Promise.all([close(this.#four), close(this.#six)]).then(() => undefined);
    await this.#closed;
  }
}

const bind = async (
  type: 'udp4' | 'udp6',
  { listen, onDatagram }: UdpOptions,
  port: number,
): Promise<Socket> => {
  const socket = createSocket({ type, ipv6Only: type === 'udp6', lookup: asItIs });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.bind(port, listen.host, resolve);
  try {
    await promise;
  } catch (error) {
    await close(socket);
    throw error;
  }
  socket.off('error', reject);
  // What could not be sent is reported to its sender; a socket that no longer receives is visible in the
  // checks.
  socket.on('error', () => undefined);
  socket.on('message', (bytes, from) => onDatagram(bytes, { address: from.address, port: from.port }));
  return socket;
};

const bindIfThere = async (
  type: 'udp4' | 'udp6',
  options: UdpOptions,
  port: number,
): Promise<Socket | undefined> => {
  try {
    return await bind(type, options, port);
  } catch (error) {
    if (NO_FAMILY.has(errorCode(error) ?? '')) return undefined;
    throw error;
  }
};

const portOf = (socket: Socket | undefined): number | undefined => socket?.address().port;

const close = async (socket: Socket | undefined): Promise<void> => {
  if (socket === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.close(() => resolve());
  await promise;
};

/** Only addresses, never names: nothing needs a lookup. */
const asItIs = (
  address: string,
  family: unknown,
  done: (error: null, address: string, family: number) => void,
): void => done(null, address, family === 6 ? 6 : 4);

const noFamily = (address: string): Error =>
  Object.assign(new Error(`nothing can be sent to ${address} from here`), { code: 'ENETUNREACH' });

const NO_FAMILY: ReadonlySet<string> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EPROTONOSUPPORT']);
const TRIES_MAX = 20;
