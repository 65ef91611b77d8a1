// What a node tells of the device that a run loaded, as far as it explains a run's speed: from its newest readings.

import { ageMsOf } from '../entry-maps.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import type { Reported, Unknown } from '../unknown.ts';
import { isUnknown, unknown } from '../unknown.ts';
import type { HeadroomPlace } from './headroom-place.ts';
import { headroomPlaces } from './headroom-place.ts';
import type { HostEvidence } from './run-causes.ts';

export interface LoadedPlace {
  readonly place: HeadroomPlace;
  readonly evidence: HostEvidence;
}

/**
 * The device that a server on this node runs on. Unknown where it has several: a server may use some of them, or all together,
 * and the bound of one says nothing of that.
 */
export const loadedPlace = (view: NodeView, nowMs: number): LoadedPlace | Unknown => {
  const [place, ...others] = headroomPlaces(view);
  if (place === undefined) return unknown(`${view.name} tells no device`);
  if (others.length > 0)
    return unknown(
      `${view.name} has ${others.length + 1} devices, and which of them the server uses is not told`,
    );
  const [gpu] = view.gpus.flatMap(({ devices }) => devices);
  const profile = (gpu ?? view.cpu).profile;
  return {
    place,
    evidence: {
      throttleReasons: gpu === undefined ? NO_GPU : (gpu.load?.throttleReasons ?? NOT_READ),
      offloadedShare: unknown('the server does not tell where the model lies'),
      pcieShortfall: gpu === undefined ? NO_GPU : pcieShortfall(gpu),
      otherProcesses: unknown('no reading of processes on the device'),
      probeAgeMs:
        profile === undefined
          ? unknown('not measured')
          : ageMsOf(profile, nowMs) + profile.value.measuredAgeMs,
      isProbeLowerBound: profile === undefined ? unknown('not measured') : profile.value.isLowerBound,
    },
  };
};

/** '' where it has all lanes and their generation. */
const pcieShortfall = ({ device: { pcieMax }, load }: GpuView): Reported<string> => {
  const now = load?.pcieNow ?? NOT_READ;
  if (isUnknown(now)) return now;
  if (isUnknown(pcieMax)) return pcieMax;
  if (now.width >= pcieMax.width) return '';
  return `x${now.width} of x${pcieMax.width}`;
};

const NO_GPU = unknown('it runs on the processor');
const NOT_READ = unknown('the device tells no load');
