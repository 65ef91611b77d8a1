// The machine for oneself while a command measures its devices: the daemon of the home waits meanwhile, and a command does
// not start while the daemon measures.

import { resolveHome } from '../../config/home.ts';
import { lockDevices } from '../../probe/device-lock.ts';
import { printable } from '../../tui/part.ts';
import { CommandError } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';

/**
 * Without a home there is nobody to agree with.
 * @throws CommandError `probeFailed` while somebody measures.
 */
export const machineForProbe = (
  who: string,
  homeOption: string | undefined,
  state: ProcessState,
): Disposable | undefined => {
  const home = resolveHome({ ...state, option: homeOption });
  const machine = lockDevices(home, { who, pid: state.pid, what: 'this machine' });
  switch (machine.kind) {
    case 'held':
      return machine.lock;
    case 'unguarded':
      return undefined;
    case 'busy':
      throw new CommandError(
        'probeFailed',
        `${printable(machine.reason)}: two at once would measure each other`,
        'Try again in a minute. What the daemon has measured shows: plimsoll status',
      );
    default:
      return machine satisfies never;
  }
};
