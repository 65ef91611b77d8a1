// The two figures next to a node's name: the sum over its GPUs, of how many, and why there is none.

import { counted, type Figure, UNKNOWN_FIGURE } from '../../../src/core/figure/figure.ts';
import { FIGURE_UNITS } from '../../../src/core/figure/figure-row.ts';
import { BANDWIDTH, FP16_RATE } from '../../../src/core/node/gpu-profile.ts';
import { gpusOf } from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { capitalized } from '../../../src/core/text/single-line.ts';
import { isKnown, isUnknown } from '../../../src/core/unknown.ts';
import { noGpuText, stageText } from './measured-text.ts';

interface NodeSum {
  readonly name: string;
  readonly value: Figure;
  /** What `value` writes: FLOP/s or bytes/s. */
  readonly raw: number | undefined;
  /** "1 of 2 GPUs, lower bound", or why there is no figure; '' if the figure is complete. */
  readonly remark: string;
}

export const nodeSums = (view: NodeView): readonly NodeSum[] => [
  sumOf(view, FP16_RATE),
  sumOf(view, BANDWIDTH),
];

type SummedMeasure = typeof FP16_RATE | typeof BANDWIDTH;

const sumOf = (view: NodeView, { title, figure, unit }: SummedMeasure): NodeSum => {
  const name = capitalized(title);
  const gpus = gpusOf(view);
  const known = gpus.flatMap(({ profile }) => {
    const value = profile?.value[figure];
    return profile === undefined || value === undefined || !isKnown(value)
      ? []
      : [{ value, isLowerBound: profile.value.isLowerBound }];
  });
  if (known.length === 0)
    return { name, value: UNKNOWN_FIGURE, raw: undefined, remark: whyNone(view, figure) };
  const remarks = [
    known.length < gpus.length ? `${known.length} of ${counted(gpus.length, 'GPU')}` : '',
    known.some(({ isLowerBound }) => isLowerBound) ? 'lower bound' : '',
  ];
  const raw = known.reduce((sum, { value }) => sum + value, 0);
  return {
    name,
    value: FIGURE_UNITS[unit].format(raw),
    raw,
    remark: remarks.filter(remark => remark !== '').join(', '),
  };
};

/** What goes on now, else why the newest attempt gave no such figure. */
const whyNone = (view: NodeView, figure: SummedMeasure['figure']): string => {
  const gpus = gpusOf(view);
  if (gpus.length === 0) return noGpuText(view);
  const active =
    gpus.find(({ probe }) => probe?.kind === 'running') ??
    gpus.find(({ probe }) => probe?.kind === 'waiting');
  if (active !== undefined) return stageText(active.probe);
  const reasons = gpus.flatMap(({ profile }) => {
    if (profile === undefined) return [];
    const { failure, [figure]: value } = profile.value;
    if (isUnknown(failure)) return [`failed: ${failure.reason}`];
    return isUnknown(value) ? [value.reason] : [];
  });
  return reasons[0] ?? 'not measured yet';
};
