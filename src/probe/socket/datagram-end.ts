// One end's UDP socket of a probe. Each datagram carries the secret that both ends agreed on over the control connection, the number
// of its train and its own; what lacks the secret, or comes from another address than the other end's, is ignored.

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { plainAddress } from '../../channel/guarded-listener.ts';
import { type Clock, pause } from '../../clock/clock.ts';
import { errorCode, shortReason } from '../../core/problem.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { Sockets } from '../../native/sockets.ts';
import { DatagramTally } from './datagram-tally.ts';

export interface DatagramEndOptions {
  /** Of the control connection: "10.0.0.1", "::ffff:10.0.0.1", "fe80::1%en3". */
  readonly localAddress: string;
  readonly remoteAddress: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly secret: string;
  /** undefined: as the system routes. */
  readonly sourceInterface: string | undefined;
  /** Without them packets may be divided on the way, and no MTU can be measured. */
  readonly sockets: Sockets | undefined;
  readonly clock: Clock;
}

/** Datagrams one after another, at equal distances. */
export interface Train {
  readonly train: number;
  /** Of IP packets, bytes, in order; repeated from the first until there are `count`. */
  readonly sizes: readonly number[];
  readonly count: number;
  readonly intervalUs: number;
}

export interface ReceivedTrain {
  readonly count: number;
  readonly reordered: number;
  /** By this end's own socket, which was full; of any train. */
  readonly dropped: number;
  /** Which of the first numbers arrived. */
  readonly numbers: readonly number[];
}

export class DatagramEnd implements AsyncDisposable {
  /** Whether packets are never divided; unknown: they may be. */
  readonly isWhole: Reported<true>;
  readonly #options: DatagramEndOptions;
  readonly #socket: Socket;
  readonly #secret: Buffer;
  readonly #tallies = new Map<number, DatagramTally>();
  #replyPort: number | undefined;
  #receivedBytes = 0;
  #sentBytes = 0;

  private constructor(options: DatagramEndOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    this.#secret = Buffer.from(options.secret, 'latin1');
    this.isWhole = this.#prepare();
    socket.on('error', () => undefined); // each send has its own result
    socket.on('message', (message, { address, port }) => this.#take(message, address, port));
  }

  /** @throws the system's error when the address cannot be listened on */
  static async open(options: DatagramEndOptions): Promise<DatagramEnd> {
    const socket = createSocket({
      type: familyOf(options) === 4 ? 'udp4' : 'udp6',
      recvBufferSize: RECEIVE_BYTES,
    });
    try {
      socket.bind({ port: options.port, address: plainAddress(options.localAddress) });
      await once(socket, 'listening');
      return new DatagramEnd(options, socket);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Payload with the secret, so far. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Where datagrams with the secret come from; undefined until one has come. */
  get replyPort(): number | undefined {
    return this.#replyPort;
  }

  /** How many this machine put on the wire. */
  async send({ train, sizes, count, intervalUs }: Train, port: number, signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    const refusedBefore = await refusedHere();
    let notSent = 0;
    const results: Promise<void>[] = [];
    const startMs = clock.nowMs();
    for (let sent = 0; sent < count && !signal.aborted; ) {
      // After a pause of the process the rest comes later, not all at once: that would be a burst.
      const due = Math.floor(((clock.nowMs() - startMs) * 1_000) / intervalUs) + 1;
      const end = Math.min(count, due, sent + BURST_MAX);
      for (; sent < end; sent += 1) {
        const size = sizes[sent % sizes.length] ?? 0;
        results.push(
          this.#sendOne({ train, number: sent, size }, port).catch((error: unknown) => {
            notSent += errorCode(error) === undefined ? 0 : 1;
          }),
        );
      }
      await pause(clock, TICK_MS, signal);
    }
    await Promise.all(results);
    const refused = ((await refusedHere()) ?? 0) - (refusedBefore ?? 0);
    return Math.max(0, results.length - notSent - refused);
  }

  /** What has arrived of a train so far. */
  async received(train: number): Promise<ReceivedTrain> {
    const tally = this.#tallies.get(train) ?? new DatagramTally();
    return {
      count: tally.count,
      reordered: tally.reordered,
      dropped: (await droppedAt(this.port, familyOf(this.#options))) ?? 0,
      numbers: Array.from({ length: NUMBERS_MAX }, (_, number) => number).filter(number => tally.has(number)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>(resolve => this.#socket.close(() => resolve()));
  }

  #sendOne(
    { train, number, size }: { readonly train: number; readonly number: number; readonly size: number },
    port: number,
  ): Promise<void> {
    const { remoteAddress } = this.#options;
    const bytes = Buffer.alloc(Math.max(HEAD_BYTES, size - overhead(familyOf(this.#options))));
    this.#secret.copy(bytes);
    bytes.writeUInt16BE(train, SECRET_LENGTH);
    bytes.writeUInt32BE(number, SECRET_LENGTH + 2);
    return new Promise((resolve, reject) => {
      this.#socket.send(bytes, port, plainAddress(remoteAddress), error => {
        if (error !== null) return reject(error);
        this.#sentBytes += bytes.length;
        resolve();
      });
    });
  }

  #take(message: Buffer, address: string, port: number): void {
    if (message.length < HEAD_BYTES || !message.subarray(0, SECRET_LENGTH).equals(this.#secret)) return;
    if (bare(address) !== bare(this.#options.remoteAddress)) return;
    this.#replyPort = port;
    this.#receivedBytes += message.length;
    const train = message.readUInt16BE(SECRET_LENGTH);
    const tally = this.#tallies.get(train) ?? new DatagramTally();
    if (this.#tallies.size < TRAINS_MAX) this.#tallies.set(train, tally);
    tally.add(message.readUInt32BE(SECRET_LENGTH + 2));
  }

  #prepare(): Reported<true> {
    const { sockets, sourceInterface } = this.#options;
    if (sockets === undefined) return unknown('the system’s socket options cannot be set here');
    const descriptor = descriptorOfDatagrams(this.#socket);
    if (descriptor === undefined) return unknown('this Node hides the socket');
    try {
      const family = familyOf(this.#options);
      if (sourceInterface !== undefined) sockets.bindToInterface(descriptor, sourceInterface, family);
      sockets.neverFragment(descriptor, family);
      return true;
    } catch (error) {
      return unknown(`the system does not allow it: ${shortReason(error)}`);
    }
  }
}

const familyOf = ({ remoteAddress }: Pick<DatagramEndOptions, 'remoteAddress'>): 4 | 6 =>
  isIPv6(plainAddress(remoteAddress).split('%')[0] ?? '') ? 6 : 4;

const bare = (address: string): string => plainAddress(address).split('%')[0] ?? '';

/** Headers of IP, without options, and of UDP (RFC 791, 8200, 768). */
const overhead = (family: 4 | 6): number => (family === 4 ? 20 : 40) + 8;

/** Node has no public property for it, and warns at `_handle`. */
const descriptorOfDatagrams = (socket: Socket): number | undefined => {
  const name = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'state symbol');
  const state: unknown = name === undefined ? undefined : Reflect.get(socket, name);
  if (typeof state !== 'object' || state === null || !('handle' in state)) return undefined;
  const { handle } = state;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
};

// Datagrams that never reached the path, or passed it and were dropped by the receiver's own socket, as Linux counts them. Node's
// sockets cannot have an error queue (IP_RECVERR ends the process at the first ICMP message), so the sender's are those of all UDP of
// this network namespace: at most so many are the probe's.
/** Refused by this machine's own queues so far; undefined where the system does not count them. */
const refusedHere = async (): Promise<number | undefined> => {
  const [v4, v6] = await Promise.all([read('/proc/self/net/snmp'), read('/proc/self/net/snmp6')]);
  if (v4 === undefined) return undefined;
  const [names = [], values = []] = v4
    .split('\n')
    .filter(line => line.startsWith('Udp: '))
    .map(line => line.split(' '));
  const ofV4 = Number(values[names.indexOf('SndbufErrors')] ?? 0);
  const ofV6 = Number(/^Udp6SndbufErrors\s+(\d+)/m.exec(v6 ?? '')?.[1] ?? 0);
  return ofV4 + ofV6;
};

/** Dropped by the sockets of a port because they were full; undefined where the system does not count them. */
const droppedAt = async (port: number, family: 4 | 6): Promise<number | undefined> => {
  const text = await read(`/proc/self/net/udp${family === 4 ? '' : '6'}`);
  if (text === undefined) return undefined;
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return text
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(([, local = '']) => local.endsWith(hex))
    .reduce((sum, columns) => sum + Number(columns.at(-1) ?? 0), 0);
};

const read = async (path: string): Promise<string | undefined> =>
  await readFile(path, 'latin1').catch(() => undefined);

/** Hexadecimal digits, chosen by the source. */
export const SECRET_LENGTH: number = 16;
export const TRAINS_MAX: number = 32;
/** Of a search for the MTU; more are only counted. */
export const NUMBERS_MAX: number = 128;
const HEAD_BYTES = SECRET_LENGTH + 6;
/** A process that waits for 50 ms at 2,000 datagrams a second misses none; Linux allows less by default (net.core.rmem_max). */
const RECEIVE_BYTES = 1024 * 1024;
const BURST_MAX = 16;
const TICK_MS = 1;
