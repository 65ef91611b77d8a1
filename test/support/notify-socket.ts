// In place of systemd at the other end of NOTIFY_SOCKET: a datagram socket of a file or of the abstract kind, opened
// through the C library, because Node has none.

import { spawnSync } from 'node:child_process';
import { loadKoffi } from '../../src/native/load-koffi.ts';
import { until } from './until.ts';

interface NotifySocket extends Disposable {
  /** Every message so far but barriers, which only ask whether the ones before were read. */
  received(): readonly string[];
  /** Waits for as many messages. */
  whenReceived(count: number, signal: AbortSignal): Promise<readonly string[]>;
}

/** Why notifications cannot be received here. */
export const reasonAgainstNotify = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux') return 'only Linux has abstract sockets';
  if (spawnSync('systemd-notify', ['--version']).error !== undefined) return 'there is no systemd-notify';
  const koffi = await loadKoffi();
  return koffi.kind === 'missing' ? koffi.reason : undefined;
};

/** @param name a path, or `@` and a name of the abstract kind. */
export const notifySocket = async (name: string): Promise<NotifySocket> => {
  const loaded = await loadKoffi();
  if (loaded.kind === 'missing') throw new Error(loaded.reason);
  const libc = loaded.koffi.load(null);
  const socket = libc.func('int socket(int family, int type, int protocol)');
  const bind = libc.func('int bind(int descriptor, const void *address, uint32_t length)');
  const receive = libc.func('intptr_t recv(int descriptor, void *into, size_t length, int flags)');
  const close = libc.func('int close(int descriptor)');
  const descriptor: number = socket(FAMILY_UNIX, TYPE_DATAGRAM_CLOSED_ON_EXEC, 0);
  const family = Buffer.alloc(2);
  family.writeUInt16LE(FAMILY_UNIX);
  // unix(7): an abstract name begins with a zero byte and is as long as the address; a path ends with one.
  const path = name.startsWith('@') ? `\0${name.slice(1)}` : `${name}\0`;
  const address = Buffer.concat([family, Buffer.from(path)]);
  if (descriptor < 0 || bind(descriptor, address, address.length) !== 0)
    throw new Error(`${name}: no socket could be opened there`);
  const messages: string[] = [];
  const read = (): readonly string[] => {
    const bytes = Buffer.alloc(4_096);
    // Descriptors that come with a barrier are closed by the kernel, which is the answer to it.
    for (;;) {
      const count = Number(receive(descriptor, bytes, bytes.length, MESSAGE_DONT_WAIT));
      if (count < 0) return messages;
      const text = bytes.toString('utf8', 0, count);
      if (text !== 'BARRIER=1') messages.push(text);
    }
  };
  // The notifier waits until its barrier is read.
  const timer = setInterval(read, READ_EVERY_MS);
  return {
    received: read,
    whenReceived: async (count, signal) => {
      await until(() => read().length >= count, signal);
      return messages;
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      close(descriptor);
    },
  };
};

const FAMILY_UNIX = 1;
/** SOCK_DGRAM | SOCK_CLOEXEC: no child may keep it open. */
const TYPE_DATAGRAM_CLOSED_ON_EXEC = 0x80002;
const MESSAGE_DONT_WAIT = 0x40;
const READ_EVERY_MS = 5;
