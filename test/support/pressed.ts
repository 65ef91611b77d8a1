// A machine under pressure, as PSI reports it: of its host, and of the control group that its daemon is in.

import type { Fact } from '../../src/core/event-kinds.ts';
import type { Pressure, ResourcePressures } from '../../src/core/node/pressure.ts';
import { unknown } from '../../src/core/unknown.ts';

const pressure = (some: number, full: number): Pressure => ({
  some: { share10s: some, share60s: some / 2, share300s: some / 4, totalMicroseconds: 12_500_000 },
  full: { share10s: full, share60s: full / 2, share300s: full / 4, totalMicroseconds: 250_000 },
});

const HOST: ResourcePressures = {
  cpu: { ...pressure(0.32, 0), full: unknown('this kernel reports only "some"') },
  memory: pressure(0.08, 0.04),
  io: unknown('permission denied'),
};

export const pressedFact = (controlGroup: 'none' | 'group'): Fact => ({
  kind: 'pressure.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 2_000,
    value: {
      host: HOST,
      controlGroup:
        controlGroup === 'none' ? { kind: 'none' } : { kind: 'group', ...HOST, io: pressure(0.5, 0.2) },
    },
  },
});
