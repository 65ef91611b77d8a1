// What `plimsoll headroom --json` prints and POST /api/headroom returns: the result with the version of its
// form. Measurements of engines on each node are left out: each placement contains whose constants were used,
// and all of them would be megabytes.

import type { Headroom } from './headroom.ts';
import type { HeadroomDevice } from './headroom-devices.ts';
import type { PlacementStage } from './placement.ts';
import { NO_MACHINE } from './placement-headroom.ts';

export const HEADROOM_SCHEMA = 'plimsoll.headroom/1';

interface HeadroomDocument extends Headroom {
  readonly schema: typeof HEADROOM_SCHEMA;
}

export const headroomDocument = (answer: Headroom): HeadroomDocument => ({
  schema: HEADROOM_SCHEMA,
  ...answer,
  placements: answer.placements.map(one => ({
    ...one,
    placement: { ...one.placement, stages: one.placement.stages.map(reportedStage) },
    parts: one.parts.map(part => ({ ...part, device: reportedDevice(part.device) })),
  })),
});

const reportedStage = ({ layers, devices }: PlacementStage): PlacementStage => ({
  layers,
  devices: devices.map(reportedDevice),
});

const reportedDevice = ({
  calibrations: _,
  memoryFreeBytes = NO_MACHINE,
  ...device
}: HeadroomDevice): HeadroomDevice => ({ ...device, memoryFreeBytes });
