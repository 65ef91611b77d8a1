// Network interfaces of a Mac: `ifconfig` for addresses, state and rate, `networksetup` for what each device is. A
// long-running `scutil` triggers the next read when a link or an address changes.

import { type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import type { HardwarePort } from '../networksetup/parse-networksetup.ts';
import { HintedPoll, runConcurrently } from '../poll.ts';
import { type RememberedRead, type ToolAnswer, toolText } from '../tool-output.ts';
import { describeInterface, typeOfInterface } from './describe-interface.ts';
import { watchNetwork } from './network-watch.ts';
import { parseIfconfig } from './parse-ifconfig.ts';

export const macosNetworkGatherer = (
  { env, settings, intervals, timeouts }: MachineAccess,
  hardwarePorts: RememberedRead<readonly HardwarePort[]>,
): Gatherer => ({
  name: 'ifconfig',
  reports: [NETWORK],
  intervalMs: intervals.networkMs,
  gather: session => {
    const polling = new HintedPoll({
      intervalMs: intervals.networkMs,
      pauseMs: Math.min(intervals.networkMs, READS_APART_MS),
    });
    const read = async (signal: AbortSignal): Promise<void> => {
      const [text, ports] = await Promise.all([
        toolText('ifconfig', [], { env, signal, timeoutMs: timeouts.toolMs }),
        hardwarePorts.get({ clock: session.clock, signal, ageMsMax: intervals.networkMs / 2 }),
      ]);
      const interfaces = text.kind === 'answered' ? parseIfconfig(text.value) : [];
      if (interfaces.length === 0) {
        const reason = text.kind === 'unanswered' ? text.reason : 'ifconfig lists no interface';
        session.fail(NETWORK, 'ifconfig', reason);
        return;
      }
      const ignored = settings().ignoredInterfaces;
      const listed = interfaces.filter(about => !ignored.includes(about.name));
      const described = listed.map(about => describeInterface(about, portNameOf(about.name, ports)));
      const guessed = listed.filter(
        about =>
          ports.kind === 'unanswered' && typeOfInterface(about, unknown(ports.reason)).isGuess === true,
      );
      session.emit('ifconfig', {
        kind: 'network',
        value: { interfaces: described },
        guessedTypes: guessed.map(({ name }) => name),
      });
    };
    return runConcurrently(
      session.signal,
      signal => polling.run({ clock: session.clock, signal }, read),
      signal => watchNetwork({ clock: session.clock, signal }, env, () => polling.hint()),
    );
  },
});

const portNameOf = (device: string, ports: ToolAnswer<readonly HardwarePort[]>): Reported<string> => {
  if (ports.kind === 'unanswered') return unknown(ports.reason, ports.code);
  const port = ports.value.find(candidate => candidate.device === device);
  return port?.portName ?? unknown('no hardware port has this device');
};

const NETWORK: GatheredKind = { reading: 'network', vendor: 'none' };
/** Plugging in a cable makes a burst of changes; two reads a second are enough. */
const READS_APART_MS = 500;
