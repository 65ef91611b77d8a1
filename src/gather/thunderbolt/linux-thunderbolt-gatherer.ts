// Thunderbolt ports of a Linux machine, read every few seconds: a cable may be put in at any time, and looking costs
// one readdir where there is no controller.

import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { readThunderbolt } from './read-thunderbolt.ts';

export const linuxThunderboltGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'sysfs-thunderbolt',
  tells: [THUNDERBOLT],
  intervalMs: intervals.thunderboltMs,
  gather: async session => {
    let wasAbsent: boolean | undefined;
    await poll(session, intervals.thunderboltMs, () => {
      const value = readThunderbolt(files);
      if (value !== undefined) session.emit('sysfs', { kind: 'thunderbolt', value });
      else if (wasAbsent !== true) session.absent(THUNDERBOLT, 'sysfs', 'no Thunderbolt controller');
      wasAbsent = value === undefined;
    });
  },
});

const THUNDERBOLT: GatheredKind = { reading: 'thunderbolt', vendor: 'none' };
