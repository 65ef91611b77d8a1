// The measured figures of a node's devices, in few words: the figures, what is being measured now, or why there are none.

import { figureText, formatBytesPerSecond, formatFlopsPerSecond } from '../../../src/core/figure/figure.ts';
import {
  BANDWIDTH,
  FP16_RATE,
  FP32_RATE,
  type GpuProfile,
  type MeasureRow,
} from '../../../src/core/node/gpu-profile.ts';
import { gpusOf } from '../../../src/core/node/memory-use.ts';
import type { GpuView, MeasuredDevice, NodeView } from '../../../src/core/node/node-view.ts';
import type { ProbeStage } from '../../../src/core/probe/probe-stage.ts';
import { isKnown, isUnknown } from '../../../src/core/unknown.ts';

interface MeasuredText {
  /** "23.6 TFLOPS · 661 GB/s", or why not. A "+" means "at least". */
  readonly measured: string;
  /** The same where there is room for one figure: "23.6 TFLOPS", "measuring". */
  readonly compute: string;
  /** "661 GB/s"; '' where it is not known. */
  readonly bandwidth: string;
  /** Current activity: "GPU 1: measuring, 8 s left"; '' if none. */
  readonly going: string;
}

export const measuredText = (view: NodeView): MeasuredText => {
  const gpus = gpusOf(view);
  if (gpus.length === 0) return cpuText(view);
  const measured = gpus.filter(hasFigures);
  const going = measured.length === 0 ? '' : goingText(gpus);
  if (measured.length === 0) return { ...without(gpus), bandwidth: '', going: '' };
  const profiles = measured.flatMap(({ profile }) => profile?.value ?? []);
  const [only] = measured;
  const which =
    measured.length === gpus.length || only === undefined
      ? ''
      : measured.length === 1
        ? `GPU ${only.device.index}: `
        : `${measured.length} GPUs: `;
  return {
    measured: which + figures(profiles),
    compute: computeFigure(profiles) ?? '–',
    bandwidth: bandwidthFigure(profiles) ?? '',
    going,
  };
};

/** Why a node has no GPU to show. */
export const noGpuText = ({ gpus, absentGpus }: NodeView): string => {
  if (gpus.some(({ inventory }) => inventory.kind === 'unavailable')) return 'GPU cannot be read';
  return absentGpus.length === 0 ? 'GPUs not detected yet' : 'no GPU found';
};

/** "measuring, 8 s left", "waits: a runner is active"; '' where the probe rests. */
export const stageText = (probe: ProbeStage | undefined): string => {
  if (probe?.kind === 'running') {
    const seconds = Math.ceil(probe.leftMs / 1_000);
    return seconds > 0 ? `measuring, ${seconds}\u00a0s left` : 'measuring';
  }
  return probe?.kind === 'waiting' ? `waits: ${probe.reason}` : '';
};

/** The processor's own, which no total counts. */
const cpuText = (view: NodeView): MeasuredText => {
  const { profile, probe } = view.cpu;
  const why = noGpuText(view);
  if (profile !== undefined && hasFigures(view.cpu)) {
    return {
      measured: `CPU: ${figures([profile.value])}`,
      compute: computeFigure([profile.value]) === undefined ? why : `CPU ${computeFigure([profile.value])}`,
      bandwidth: bandwidthFigure([profile.value]) ?? '',
      going: stageText(probe),
    };
  }
  const stage = stageText(probe);
  return {
    measured: stage === '' ? why : `CPU: ${stage}`,
    compute: shortStage(probe) || why,
    bandwidth: '',
    going: '',
  };
};

const without = (gpus: readonly GpuView[]): Pick<MeasuredText, 'measured' | 'compute'> => {
  const active =
    gpus.find(({ probe }) => probe?.kind === 'running') ??
    gpus.find(({ probe }) => probe?.kind === 'waiting');
  if (active !== undefined) {
    return { measured: stageText(active.probe), compute: shortStage(active.probe) };
  }
  const failure = gpus.map(({ profile }) => profile?.value.failure).find(isUnknown);
  if (failure !== undefined) return { measured: `failed: ${failure.reason}`, compute: 'failed' };
  const measured = gpus.length === 1 ? 'GPU not measured yet' : `${gpus.length} GPUs not measured yet`;
  return { measured, compute: 'not measured' };
};

const goingText = (gpus: readonly GpuView[]): string => {
  const active = gpus.find(({ probe }) => probe?.kind === 'running');
  if (active === undefined) return '';
  return `${gpus.length > 1 ? `GPU ${active.device.index}: ` : ''}${stageText(active.probe)}`;
};

const shortStage = (probe: ProbeStage | undefined): string => {
  if (probe?.kind === 'running') return 'measuring';
  return probe?.kind === 'waiting' ? 'waits' : '';
};

const hasFigures = ({ profile }: MeasuredDevice): boolean =>
  profile !== undefined &&
  [FP16_RATE, FP32_RATE, BANDWIDTH].some(({ figure }) => isKnown(profile.value[figure]));

const figures = (profiles: readonly GpuProfile[]): string =>
  [computeFigure(profiles), bandwidthFigure(profiles)].filter(part => part !== undefined).join(' · ');

const bandwidthFigure = (profiles: readonly GpuProfile[]): string | undefined => {
  const bytes = sum(profiles, BANDWIDTH);
  return bytes === undefined ? undefined : figureText(formatBytesPerSecond(bytes));
};

/** Only FP16 if any device has it; an FP32 figure is a different measure, and its label states FP32. */
const computeFigure = (profiles: readonly GpuProfile[]): string | undefined => {
  const half = sum(profiles, FP16_RATE);
  const single = sum(profiles, FP32_RATE);
  const flops = half ?? single;
  if (flops === undefined) return undefined;
  const { figure, unit } = formatFlopsPerSecond(flops);
  const isLowerBound = profiles.some(profile => profile.isLowerBound);
  const text = figureText({ figure: `${figure}${isLowerBound ? '+' : ''}`, unit });
  return half === undefined ? `${text} FP32` : text;
};

const sum = (profiles: readonly GpuProfile[], { figure }: MeasureRow): number | undefined => {
  const known = profiles.map(profile => profile[figure]).filter(isKnown);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
};
