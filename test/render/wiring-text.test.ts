import { expect, test } from 'vitest';
import { textWidth } from '../../src/core/text/columns.ts';
import { enginePlan } from '../../src/core/wiring/engine-plan.ts';
import { wiredCluster } from '../../src/core/wiring/wired-cluster.ts';
import { WIRING_ENGINES } from '../../src/core/wiring/wiring-plan.ts';
import { wiringLines } from '../../src/render/wiring-text.ts';
import { WIRING_CLUSTERS } from '../core/wiring/wiring-clusters.ts';
import { SimulatedWorld, stateOf } from '../simulate/simulated-world.ts';

test.each(WIRING_CLUSTERS)(
  'in 80 columns, nothing of $name is wider except a command or a setting, which stays whole',
  async scenario => {
    await using world = new SimulatedWorld(scenario);
    await world.clock.advance(PROBED_MS);
    const cluster = wiredCluster(stateOf(world), world.clock.nowMs(), undefined);
    for (const engine of WIRING_ENGINES) {
      const plan = enginePlan(cluster, engine, 'mlx-community/Qwen3-235B-A22B-4bit');
      const whole = [
        ...[...plan.setup, ...plan.start, ...plan.findings.flatMap(({ steps }) => steps)].map(
          ({ command }) => command,
        ),
        ...plan.files.flatMap(({ text }) => text.split('\n').filter(line => !line.startsWith('#'))),
      ];
      const lines = wiringLines(plan, 80);
      for (const line of lines)
        if (textWidth(line) > 80)
          expect(
            whole.some(each => each !== '' && line.endsWith(each)),
            `${engine}: ${line}`,
          ).toBe(true);
      for (const each of whole)
        expect(
          lines.some(line => line.endsWith(each)),
          each,
        ).toBe(true);
    }
  },
);

/** Every link has been probed by then. */
const PROBED_MS = 240_000;
