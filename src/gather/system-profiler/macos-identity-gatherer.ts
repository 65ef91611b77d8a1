// Identity of a Mac and its GPU. What cannot change while the machine runs is read once; only the computer's name,
// which a person may change at any time, is read again.

import type { NodeIdentity } from '../../core/node/identity.ts';
import { isKnown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { parseSysctl } from '../sysctl/parse-sysctl.ts';
import { answered, RememberedRead, type ToolAnswer, toolText } from '../tool-output.ts';
import { appleGpu, macosIdentity, SYSCTL_NAMES } from './macos-identity.ts';
import {
  type MacGpu,
  parseComputerName,
  parseDisplays,
  parseHardware,
  parseSwVers,
} from './parse-identity.ts';

export const macosIdentityGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'system-profiler-identity',
  tells: [IDENTITY, GPUS],
  intervalMs: machine.intervals.identityMs,
  gather: async session => {
    const { env, host, intervals, plimsollVersion, settings, timeouts } = machine;
    const read =
      (command: string, ...args: readonly string[]) =>
      async (signal: AbortSignal) =>
        toolText(command, args, { env, signal, timeoutMs: timeouts.toolMs });
    const hardware = new RememberedRead(
      reading(read('system_profiler', 'SPHardwareDataType', '-json'), parseHardware),
    );
    const displays = new RememberedRead(
      reading(read('system_profiler', 'SPDisplaysDataType', '-json'), parseDisplays),
    );
    const sysctl = new RememberedRead(
      reading(read('sysctl', '-i', ...SYSCTL_NAMES), text => answered(parseSysctl(text))),
    );
    const version = new RememberedRead(reading(read('sw_vers'), text => answered(parseSwVers(text))));
    await poll(session, intervals.identityMs, async signal => {
      const once = { clock: session.clock, signal, ageMsMax: Number.POSITIVE_INFINITY };
      const [computerName, hardwareAnswer, sysctlAnswer, versionAnswer] = await Promise.all([
        read('scutil', '--get', 'ComputerName')(signal),
        hardware.get(once),
        sysctl.get(once),
        version.get(once),
      ]);
      const identity = macosIdentity({
        configuredName: settings().name,
        computerName: computerName.kind === 'answered' ? parseComputerName(computerName.value) : undefined,
        hostName: host.hostName(),
        architecture: host.architecture(),
        plimsollVersion,
        hardware: hardwareAnswer,
        sysctl: sysctlAnswer,
        version: versionAnswer,
      });
      session.emit('system_profiler', { kind: 'identity', value: identity });
      // The slowest of all: the machine's name should not wait for the number of GPU cores.
      tellGpu(session, await displays.get(once), identity);
    });
  },
});

const tellGpu = (session: GatherSession, gpu: ToolAnswer<MacGpu>, identity: NodeIdentity): void => {
  if (isKnown(identity.memoryIsUnified) && !identity.memoryIsUnified) {
    session.absent(GPUS, 'system_profiler', 'not an Apple chip');
  } else if (gpu.kind === 'unanswered') {
    session.fail(GPUS, 'system_profiler', gpu.reason, gpu.code);
  } else {
    const devices = [appleGpu(gpu.value, identity.chip)];
    session.emit('system_profiler', { kind: 'gpus', value: { vendor: 'apple', devices } });
  }
};

const reading =
  <T>(read: (signal: AbortSignal) => Promise<ToolAnswer<string>>, parse: (text: string) => ToolAnswer<T>) =>
  async (signal: AbortSignal): Promise<ToolAnswer<T>> => {
    const text = await read(signal);
    return text.kind === 'answered' ? parse(text.value) : text;
  };

const IDENTITY: GatheredKind = { reading: 'identity', vendor: 'none' };
const GPUS: GatheredKind = { reading: 'gpus', vendor: 'apple' };
