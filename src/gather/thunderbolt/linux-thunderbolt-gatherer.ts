// Thunderbolt ports of a Linux machine, read every few seconds: a cable may be plugged in at any time, and without a
// controller a check costs one readdir.

import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { readThunderbolt } from './read-thunderbolt.ts';

export const linuxThunderboltGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'sysfs-thunderbolt',
  reports: [THUNDERBOLT],
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
