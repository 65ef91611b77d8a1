// A probe of the connections to a node of the cluster: the local daemon measures, because it agrees with the other one on
// when, and knows who serves inference now.

import { CommandError } from '../command-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';

export interface NodeProbe {
  readonly name: string;
  readonly home: string | undefined;
  readonly isJson: boolean;
  readonly state: ProcessState;
}

export const probeNode = async ({ name }: NodeProbe): Promise<ExitCode> => {
  throw new CommandError(
    'noDaemon',
    `the daemon cannot be asked for a probe of ${JSON.stringify(name)} yet`,
    'Run `plimsoll probe serve` there, and give its address and code here.',
  );
};
