// Whether this kernel stamps what arrives: tried over loopback before the first request. gVisor, WSL 1 and some containers
// accept the option and return no timestamps.

import { errorMessage } from '../../core/problem.ts';
import { type KernelIo, WATCH } from '../../native/kernel-io.ts';
import { POLLED } from '../../native/kernel-layout.ts';
import { NOTHING_YET } from '../../native/sockets.ts';

export type TrialSockets = Pick<
  KernelIo,
  | 'accept'
  | 'close'
  | 'connect'
  | 'enableStamps'
  | 'listen'
  | 'receive'
  | 'send'
  | 'stamp'
  | 'wait'
  | 'wallNs'
  | 'watch'
>;

type StampTrial =
  /**
   * The kernel stamps packets only while a socket requests it, and starts to do so some time after the first request: as long as
   * this descriptor is open, it goes on.
   */
  | { readonly kind: 'stamped'; readonly descriptor: number }
  | { readonly kind: 'unstamped'; readonly reason: string };

/** Some 0.2 ms, at most 0.2 s. Never throws. */
export const tryStamps = (io: TrialSockets): StampTrial => {
  const open: number[] = [];
  try {
    const listener = io.listen();
    open.push(listener.fd);
    const client = io.connect('127.0.0.1', listener.port);
    open.push(client);
    const server = whenReady(io, listener.fd, () => io.accept(listener.fd));
    open.push(server);
    const reason = io.enableStamps(client) ?? whyNone(io, { client, server });
    if (reason !== undefined) return { kind: 'unstamped', reason };
    open.splice(open.indexOf(client), 1);
    return { kind: 'stamped', descriptor: client };
  } catch (error) {
    const reason = `its timestamps could not be tried over loopback: ${errorMessage(error)}`;
    return { kind: 'unstamped', reason };
  } finally {
    for (const fd of open) io.close(fd);
  }
};

/** @throws SocketError */
const whyNone = (
  io: TrialSockets,
  { client, server }: Readonly<Record<'client' | 'server', number>>,
): string | undefined => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) io.wait(PAUSE_NS);
    const beforeNs = io.wallNs();
    io.send(server, ONE_BYTE, 0);
    whenReady(io, client, () => io.receive(client));
    const { stampNs } = io.stamp;
    if (stampNs < 0) continue;
    return stampNs >= beforeNs - DOUBT_NS && stampNs <= io.wallNs() + DOUBT_NS
      ? undefined
      : 'its timestamps are not of the wall clock';
  }
  return 'it accepts SO_TIMESTAMPING and returns no timestamps';
};

/** @throws SocketError, Error */
const whenReady = (io: TrialSockets, fd: number, call: () => number): number => {
  const atOnce = call();
  if (atOnce !== NOTHING_YET) return atOnce;
  io.watch(fd, WATCH.add, POLLED.in, TRIAL_ID);
  io.wait(WAIT_NS_MAX);
  io.watch(fd, WATCH.remove, 0, TRIAL_ID);
  const later = call();
  if (later === NOTHING_YET) throw new Error('no answer');
  return later;
};

const ONE_BYTE: Uint8Array = Uint8Array.of(0);
const TRIAL_ID = 1;
/** The kernel enables timestamps in a work queue: the first packets may have none. */
const TRIES = 20;
const PAUSE_NS = 1e6;
const WAIT_NS_MAX = 50e6;
/** Of two readings of the clock on different processors. */
const DOUBT_NS = 50_000;
