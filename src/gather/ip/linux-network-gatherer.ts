// Network interfaces of a Linux machine: sysfs for what they are, `ip` or the C library for addresses. Read at once,
// on each hint of a change, and at the interval in case a hint was lost.

import { counted } from '../../core/figure/figure.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, readFailed } from '../machine-files.ts';
import type { ListAddresses } from '../machine-host.ts';
import { HintedPoll, runConcurrently } from '../poll.ts';
import { AddressSource } from './address-source.ts';
import { DeviceKindSource } from './device-kinds.ts';
import { watchLinks } from './link-watch.ts';
import { readInterfaces } from './read-interfaces.ts';

export const linuxNetworkGatherer = (
  { tools, files, host, intervals, settings, timeouts }: MachineAccess,
  listAddresses: ListAddresses = host.networkInterfaces,
): Gatherer => ({
  name: 'sysfs-network',
  reports: [NETWORK],
  intervalMs: intervals.networkMs,
  gather: session => {
    const { clock } = session;
    const addresses = new AddressSource({ files, tools, clock, listAddresses, timeoutMs: timeouts.kernelMs });
    const kinds = new DeviceKindSource({ tools, clock, timeoutMs: timeouts.kernelMs });
    const polling = new HintedPoll({
      intervalMs: intervals.networkMs,
      pauseMs: READ_AGAIN_MS,
      burstMs: BURST_MS,
    });
    const read = async (signal: AbortSignal, isHinted: boolean): Promise<void> => {
      const names = files.namesNow('/sys/class/net');
      if (isUnreadable(names)) throw readFailed(names);
      const found = await addresses.read(isHinted, signal);
      const ignored = new Set(settings().ignoredInterfaces);
      const listed = names.filter(name => !ignored.has(name));
      let guessed: readonly string[] = [];
      const interfaces = await readInterfaces(files, listed, found.table, async unclear => {
        const answer = await kinds.read(unclear, signal);
        if (answer.kind === 'answered') return answer.value;
        guessed = unclear;
        return new Map();
      });
      if (signal.aborted) return;
      const kept = interfaces.slice(0, INTERFACES_MAX);
      const leftOut = interfaces.length - kept.length;
      const source =
        leftOut === 0 ? '' : `, ${leftOut} of ${counted(interfaces.length, 'interface')} left out`;
      session.emit(`sysfs, ${found.source}${source}`, {
        kind: 'network',
        value: { interfaces: kept },
        guessedTypes: guessed,
      });
    };
    return runConcurrently(
      session.signal,
      signal => polling.run({ clock, signal }, read),
      // Polling continues if there is no `ip` to watch.
      signal => watchLinks({ tools, clock, signal, onHint: () => polling.hint() }),
    );
  },
});

const NETWORK: GatheredKind = { reading: 'network', vendor: 'none' };
const BURST_MS = 100;
const READ_AGAIN_MS = 1_000;
/** A node with hundreds of containers has as many virtual interfaces; the map needs only its cables. */
const INTERFACES_MAX = 256;
