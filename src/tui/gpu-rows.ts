// The GPUs of a node as rows: those that work, those that cannot be used, and what the kernel's log has of them.

import { formatAge } from '../core/figure/duration.ts';
import { figureText } from '../core/figure/figure.ts';
import type { FailedGpu } from '../core/node/failed-gpu.ts';
import { gpusOf } from '../core/node/memory-use.ts';
import type { NodeView } from '../core/node/node-view.ts';
import { knownValue } from '../core/node/reading-view.ts';
import { isKnown } from '../core/unknown.ts';
import { factRows, listFacts } from './fact-rows.ts';
import { failedFacts, findingFact, gpuFacts, xidFacts } from './gpu-facts.ts';
import type { Row } from './layout.ts';
import { part } from './part.ts';

export const gpuFactRows = ({ gpus, absentGpus }: NodeView): readonly Row[] => {
  if (gpus.length === 0) {
    const text =
      absentGpus.length === 0 ? 'measuring' : `none: ${absentGpus.map(({ reason }) => reason).join(', ')}`;
    return [{ label: 'GPU', facts: [[part(text, 'dim')]], age: undefined }];
  }
  return gpus.flatMap(({ vendor, inventory, devices, failed }) => {
    if (devices.length === 0 && failed.length === 0)
      return factRows(`GPU ${vendor}`, inventory, () => [[[part('no devices', 'dim')]]]);
    const working = devices.map((gpu): Row => {
      const stale = gpu.isLoadStale ? 'caution' : 'dim';
      const age = gpu.load === undefined ? undefined : part(figureText(formatAge(gpu.loadAgeMs)), stale);
      return { label: `GPU ${gpu.device.index}`, facts: gpuFacts(gpu), age };
    });
    return [...working, ...failed.map(failedRow)];
  });
};

/** Next to a table of the GPUs: only what a person must act on. */
export const gpuFindingRows = (view: NodeView): readonly Row[] => [
  ...gpusOf(view).flatMap(({ device, findings }) =>
    findings.length === 0
      ? []
      : [{ label: `GPU ${device.index}`, facts: findings.map(findingFact), age: undefined }],
  ),
  ...view.gpus.flatMap(({ failed }) => failed.map(failedRow)),
];

const failedRow = (gpu: FailedGpu): Row => ({
  label: isKnown(gpu.index) ? `GPU ${gpu.index}` : 'GPU',
  facts: failedFacts(gpu),
  age: undefined,
});

/** Of a machine whose log has some, or may not be read. */
export const gpuErrorRows = ({ gpuErrors }: NodeView): readonly Row[] =>
  gpuErrors.kind === 'unavailable' || (knownValue(gpuErrors)?.errors.length ?? 0) > 0
    ? factRows('GPU errors', gpuErrors, ({ errors }, ageMs) =>
        listFacts(errors, error => xidFacts(error, ageMs), 'none'),
      )
    : [];
