// Every gatherer of a Mac. What two of them ask of the same tool is read once here and shared.

import type { Env } from '../process/child.ts';
import { macosDiskGatherer } from './df/macos-disk-gatherer.ts';
import type { Gatherer, GatherSettings } from './gatherer.ts';
import { macosRdmaGatherer, readIbverbs } from './ibverbs/macos-rdma-gatherer.ts';
import { macosNetworkGatherer } from './ifconfig/macos-network-gatherer.ts';
import { macmonGatherer } from './macmon/macmon-gatherer.ts';
import { type MacosHost, nodeHost } from './macos-host.ts';
import {
  MACOS_INTERVALS,
  MACOS_TIMEOUTS,
  type MacosIntervals,
  type MacosOptions,
  type MacosTimeouts,
} from './macos-options.ts';
import { parseHardwarePorts } from './networksetup/parse-networksetup.ts';
import { macosIdentityGatherer } from './system-profiler/macos-identity-gatherer.ts';
import { thunderboltGatherer } from './system-profiler/thunderbolt-gatherer.ts';
import { answered, RememberedRead, toolText } from './tool-output.ts';

export interface MacosGatherersOptions {
  readonly env: Env;
  readonly settings: () => GatherSettings;
  readonly plimsollVersion: string;
  readonly intervals?: Partial<MacosIntervals>;
  readonly timeouts?: Partial<MacosTimeouts>;
  readonly host?: MacosHost;
}

export const macosGatherers = (given: MacosGatherersOptions): readonly Gatherer[] => {
  const options: MacosOptions = {
    ...given,
    // A daemon started by launchd has a PATH without Homebrew, where macmon lives, and without /usr/sbin.
    env: { ...given.env, PATH: withMacosFolders(given.env['PATH']) },
    intervals: { ...MACOS_INTERVALS, ...given.intervals },
    timeouts: { ...MACOS_TIMEOUTS, ...given.timeouts },
    host: given.host ?? nodeHost,
  };
  const { env, timeouts } = options;
  const hardwarePorts = new RememberedRead(async signal => {
    const context = { env, signal, timeoutMs: timeouts.toolMs };
    const text = await toolText('networksetup', ['-listallhardwareports'], context);
    return text.kind === 'answered' ? answered(parseHardwarePorts(text.value)) : text;
  });
  const rdmaDevices = new RememberedRead(signal => readIbverbs({ env, signal, timeoutMs: timeouts.toolMs }));
  return [
    macosIdentityGatherer(options),
    macmonGatherer(options),
    macosNetworkGatherer(options, hardwarePorts),
    thunderboltGatherer(options, hardwarePorts, rdmaDevices),
    macosRdmaGatherer(options, rdmaDevices),
    macosDiskGatherer(options),
  ];
};

/** Behind what the person set, so that their own choice wins. */
const withMacosFolders = (path: string | undefined): string => {
  const folders = (path ?? '').split(':').filter(folder => folder !== '');
  return [...folders, ...MACOS_FOLDERS.filter(folder => !folders.includes(folder))].join(':');
};

const MACOS_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/opt/homebrew/bin', '/usr/local/bin'];
