// The fleet that this home names, looked at: for `fleet status` and `doctor`.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../clock/system-clock.ts';
import { homeFiles } from '../../config/home.ts';
import { effectiveConfig, readConfig } from '../../config/read-config.ts';
import { fleetSettings } from '../../daemon/mesh/fleet-settings.ts';
import { NODE_KEY_FILE, openNodeKey } from '../../daemon/node-key.ts';
import type { FleetExamination } from '../../mesh/nats/examine-fleet.ts';

type OwnFleet =
  /** None is named, or the home has never run. */
  | { readonly kind: 'none'; readonly reason: string }
  | {
      readonly kind: 'examined';
      readonly cluster: string;
      readonly servers: readonly string[];
      readonly examination: FleetExamination;
    };

/** Changes nothing: a home without an identity gets none. */
export const examineOwnFleet = async (home: string): Promise<OwnFleet> => {
  const read = await readConfig(homeFiles(home).config);
  const { fleet } = effectiveConfig(read);
  const settings = await fleetSettings(home, fleet);
  const { cluster, servers } = fleet;
  switch (settings.kind) {
    case 'none':
      return {
        kind: 'none',
        reason:
          read.kind === 'ok'
            ? 'config.toml names no server of a fleet'
            : 'config.toml has an error: plimsoll config check',
      };
    case 'failed': {
      const examination = { server: undefined, streams: [], problems: [settings.problem], notes: [] };
      return { kind: 'examined', cluster, servers, examination };
    }
    case 'ready': {
      if (!existsSync(join(home, NODE_KEY_FILE)))
        return { kind: 'none', reason: 'this home has no identity yet; it gets one with plimsoll up' };
      const { nodeId } = await openNodeKey(home);
      const { examineFleet } = await import('../../mesh/nats/examine-fleet.ts');
      const examination = await examineFleet({
        server: settings.server,
        node: nodeId,
        cluster,
        clock: systemClock,
      });
      return { kind: 'examined', cluster, servers, examination };
    }
    default:
      return settings satisfies never;
  }
};
