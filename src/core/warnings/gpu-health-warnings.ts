// GPUs whose memory fails, or that wait for a reset.

import { healthFindings } from '../node/gpu-health.ts';
import type { NodeView } from '../node/node-view.ts';
import type { Warning } from './warning.ts';

/** Of nodes that are up. */
export const gpuHealthWarnings = ({ nodeId, name, gpus }: NodeView): readonly Warning[] =>
  gpus.flatMap(({ vendor, devices }) =>
    devices.flatMap(({ device, health }) =>
      (health === undefined ? [] : healthFindings(health)).map(({ code, level, what, why }): Warning => {
        const command = COMMANDS[vendor];
        return {
          id: `gpu-${code} ${nodeId} ${device.deviceId}`,
          level,
          nodes: [nodeId],
          title: `${name}: GPU ${device.index}: ${what}`,
          why,
          on: name,
          ...(command === undefined ? {} : { command }),
        };
      }),
    ),
  );

const COMMANDS: Readonly<Record<string, string | undefined>> = {
  nvidia: 'nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER',
  amd: 'amd-smi metric --ecc',
};
