// Who takes the timestamps of a load thread: the kernel, in our own read loop, or the read of Node's sockets, and why.

import type { ArrivalStamps } from '../../core/run/arrival-stamps.ts';
import { loadKernelIo } from '../../native/kernel-io.ts';
import { nodeLoopDescriptor } from '../loop/node-loop.ts';
import { ReadLoop } from '../loop/read-loop.ts';
import { tryStamps } from '../loop/stamp-trial.ts';
import { SocketDialer, type TargetDialer } from '../target/http1/dialer.ts';
import { StampedDialer } from '../target/http1/stamped-dialer.ts';
import type { LoadTarget } from '../target/load-target.ts';

interface StampChoiceOptions {
  readonly targets: readonly LoadTarget[];
  readonly nowNs: () => number;
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: of this system's libc. */
  readonly loadIo?: typeof loadKernelIo;
}

export interface StampChoice {
  /** undefined: Node's loop and sockets. */
  readonly loop: ReadLoop | undefined;
  readonly dialerOf: (target: LoadTarget) => TargetDialer;
  readonly stamps: ArrivalStamps;
}

/** Never rejects. The loop has started. */
export const chooseStamps = async (options: StampChoiceOptions): Promise<StampChoice> => {
  const { platform, nowNs, loadIo = loadKernelIo } = options;
  const byRead = (reason: string): StampChoice => ({
    loop: undefined,
    dialerOf: target => new SocketDialer(target, platform !== 'win32'),
    stamps: { by: 'read', reason },
  });
  const unsuited = options.targets.map(reasonOf).find(reason => reason !== undefined);
  if (unsuited !== undefined) return byRead(unsuited);
  const load = await loadIo(options);
  if (load.kind === 'missing') return byRead(load.reason);
  const { io } = load;
  const trial = tryStamps(io);
  if (trial.kind === 'unstamped') {
    io.stop();
    return byRead(`the kernel cannot be used: ${trial.reason}`);
  }
  const nodeLoop = await nodeLoopDescriptor(io);
  if (nodeLoop === undefined) {
    io.close(trial.descriptor);
    io.stop();
    return byRead("/proc does not show the event loop's descriptor");
  }
  const loop = new ReadLoop({ io, nowNs, stamped: trial.descriptor });
  loop.start(nodeLoop);
  return { loop, dialerOf: target => new StampedDialer(loop, target), stamps: { by: 'kernel' } };
};

const reasonOf = ({ tls, socketPath }: LoadTarget): string | undefined => {
  if (tls !== undefined) return 'TLS';
  return socketPath === undefined ? undefined : 'a socket of the file system';
};
