// How GPUs and network adapters are connected inside a node, a row for each GPU: the other GPUs by what is between, and the
// adapters that belong to it.

import { counted } from '../core/figure/figure.ts';
import type { NodeView } from '../core/node/node-view.ts';
import { knownValue } from '../core/node/reading-view.ts';
import {
  adapterName,
  gpuLabel,
  insideText,
  insideWay,
  type NodeTopology,
  nearestAdapters,
  type PlacedDevice,
  placedOf,
} from '../core/node/topology.ts';
import { factRows, listFacts } from './fact-rows.ts';
import type { Row } from './layout.ts';
import { type Line, part } from './part.ts';

/** Of a node with something to connect. */
export const topologyRows = (view: NodeView): readonly Row[] => {
  const topology = knownValue(view.topology);
  if (topology === undefined || topology.devices.length < 2) return [];
  const labels = gpuLabel(view.gpus);
  return factRows('Inside', view.topology, value =>
    listFacts(placedOf(value, 'gpu'), gpu => gpuLines(value, gpu, labels), 'no GPU on PCI'),
  );
};

const gpuLines = (
  topology: NodeTopology,
  gpu: PlacedDevice,
  labels: (gpu: PlacedDevice) => string,
): readonly Line[] => {
  const others = placedOf(topology, 'gpu').filter(other => other !== gpu);
  const byWay = Map.groupBy(others, other => insideText(insideWay(topology, gpu, other)));
  const near = nearestAdapters(topology, gpu);
  return [
    [part(labels(gpu), 'strong')],
    ...[...byWay].map(
      ([way, to]): Line => [
        part(`${to.length === 1 ? labels(to[0] ?? gpu) : counted(to.length, 'GPU')}: ${way}`),
      ],
    ),
    ...(near === undefined
      ? []
      : [[part(`${near.adapters.map(adapterName).join(' and ')}: ${insideText(near.way)}`)]]),
  ];
};
