// Network interfaces of a Linux machine: sysfs for what they are, `ip` or the C library for addresses. Read at once,
// on each hint of a change, and at the interval in case a hint was lost.

import type { Env } from '../../process/child.ts';
import type { GatheredKind, Gatherer, GatherSession, GatherSettings } from '../gatherer.ts';
import { isUnreadable, type MachineFiles } from '../machine-files.ts';
import type { ListAddresses } from './address-source.ts';
import { AddressSource } from './address-source.ts';
import { Hint } from './hint.ts';
import { watchLinks } from './link-watch.ts';
import { readInterfaces } from './read-interfaces.ts';

export interface LinuxNetworkOptions {
  readonly files: MachineFiles;
  readonly env: Env;
  readonly intervalMs: number;
  readonly settings: () => GatherSettings;
  readonly listAddresses: ListAddresses;
  readonly toolTimeoutMs: number;
}

export const linuxNetworkGatherer = (options: LinuxNetworkOptions): Gatherer => ({
  name: 'sysfs-network',
  tells: [NETWORK],
  intervalMs: options.intervalMs,
  gather: async session => {
    const { clock } = session;
    const own = new AbortController();
    const signal = AbortSignal.any([session.signal, own.signal]);
    const hint = new Hint(clock);
    const watching = watchLinks({ env: options.env, clock, signal, onHint: () => hint.give() });
    try {
      await Promise.race([tellNetwork(session, options, hint, signal), watching.then(forever)]);
    } finally {
      own.abort();
      await watching;
    }
  },
});

const tellNetwork = async (
  session: GatherSession,
  options: LinuxNetworkOptions,
  hint: Hint,
  signal: AbortSignal,
): Promise<void> => {
  const addresses = new AddressSource({
    files: options.files,
    env: options.env,
    clock: session.clock,
    listAddresses: options.listAddresses,
    timeoutMs: options.toolTimeoutMs,
  });
  try {
    for (let isHinted = false; !signal.aborted; ) {
      const names = options.files.namesNow('/sys/class/net');
      if (isUnreadable(names)) throw new Error(names.reason);
      const found = await addresses.read(isHinted, signal);
      const ignored = new Set(options.settings().ignoredInterfaces);
      const listed = names.filter(name => !ignored.has(name));
      const interfaces = await readInterfaces(options.files, listed, found.table);
      if (signal.aborted) return;
      const kept = interfaces.slice(0, INTERFACES_MAX);
      const leftOut = interfaces.length - kept.length;
      const source = leftOut === 0 ? '' : `, ${leftOut} of ${interfaces.length} interfaces left out`;
      session.emit(`sysfs, ${found.source}${source}`, { kind: 'network', value: { interfaces: kept } });
      isHinted = await hint.taken(options.intervalMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

/** Polling goes on where there is no `ip` to watch. */
const forever = (): Promise<never> => new Promise(() => {});

const NETWORK: GatheredKind = { reading: 'network', vendor: 'none' };
/** A node with hundreds of containers has as many virtual interfaces; the picture needs its cables. */
const INTERFACES_MAX = 256;
