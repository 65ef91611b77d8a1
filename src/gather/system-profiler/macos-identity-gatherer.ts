// Identity of a Mac and its GPU. What cannot change while the machine runs is read once; only the computer's name,
// which a person may change at any time, is read again. A tool that hangs (system_profiler does, for minutes) delays only
// what it alone reports: the rest is reported without it, and again when it has answered.

import { pause } from '../../clock/until-aborted.ts';
import type { NodeIdentity } from '../../core/node/identity.ts';
import { isKnown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { parseSysctl, type SysctlValues } from '../sysctl/parse-sysctl.ts';
import { answered, RememberedRead, type ToolAnswer, toolText, unanswered } from '../tool-output.ts';
import { appleGpu, macosIdentity, SYSCTL_NAMES } from './macos-identity.ts';
import {
  type MacGpu,
  type MacHardware,
  type MacosVersion,
  parseComputerName,
  parseDisplays,
  parseHardware,
  parseSwVers,
} from './parse-identity.ts';

export const macosIdentityGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'system-profiler-identity',
  reports: [IDENTITY, GPUS],
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
    const sources: ToolSources = {
      computerName: NOT_YET,
      hardware: NOT_YET,
      sysctl: NOT_YET,
      version: NOT_YET,
    };
    const identityOf = ({ computerName, ...answers }: ToolSources): NodeIdentity =>
      macosIdentity({
        ...answers,
        configuredName: settings().name,
        computerName: computerName.kind === 'answered' ? parseComputerName(computerName.value) : undefined,
        hostName: host.hostName(),
        architecture: host.architecture(),
        plimsollVersion,
      });
    await poll(session, intervals.identityMs, async signal => {
      const once = { clock: session.clock, signal, ageMsMax: Number.POSITIVE_INFINITY };
      let isLate = false;
      const emit = (): void =>
        session.emit('system_profiler', { kind: 'identity', value: identityOf(sources) });
      // Each keeps its answer of the last round until it has a new one, so that a slow tool makes no reading flicker.
      const keep = async <K extends keyof ToolSources>(
        name: K,
        answer: Promise<ToolSources[K]>,
      ): Promise<void> => {
        sources[name] = await answer;
        if (isLate && !signal.aborted) emit();
      };
      const all = Promise.all([
        keep('computerName', read('scutil', '--get', 'ComputerName')(signal)),
        keep('hardware', hardware.get(once)),
        keep('sysctl', sysctl.get(once)),
        keep('version', version.get(once)),
      ]);
      const ended = new AbortController();
      await Promise.race([
        all,
        pause(session.clock, timeouts.kernelMs, AbortSignal.any([signal, ended.signal])).then(() => {
          isLate = !ended.signal.aborted;
          if (isLate && !signal.aborted) emit();
        }),
      ]);
      ended.abort();
      await all;
      if (!isLate) emit();
      // The slowest of all: the machine's name should not wait for the number of GPU cores.
      reportGpu(session, await displays.get(once), identityOf(sources));
    });
  },
});

interface ToolSources {
  computerName: ToolAnswer<string>;
  hardware: ToolAnswer<MacHardware>;
  sysctl: ToolAnswer<SysctlValues>;
  version: ToolAnswer<MacosVersion>;
}

const reportGpu = (session: GatherSession, gpu: ToolAnswer<MacGpu>, identity: NodeIdentity): void => {
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

const NOT_YET = unanswered('the tool has not answered yet', 'no-answer');
const IDENTITY: GatheredKind = { reading: 'identity', vendor: 'none' };
const GPUS: GatheredKind = { reading: 'gpus', vendor: 'apple' };
