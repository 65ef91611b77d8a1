// A placement in sentences: for who listens, and for the lead of the page.

import { formatNanoseconds } from '../../../src/core/figure/duration.ts';
import { counted, figureText, formatBytes, formatThreeDigits } from '../../../src/core/figure/figure.ts';
import type { PrefillTime } from '../../../src/core/model/prefill.ts';
import { isUnknown, type Unknown } from '../../../src/core/unknown.ts';
import type { Achieved } from './achieved.ts';
import { LAYER_LABELS, type ModelPlacement, type ModelPlacements } from './placement.ts';

/** "One device on atlas: 30.3 ms a token, 33.0 tokens a second, between 31 and 35; at most 48." */
export const gaugeSentence = ({ name, on, time, fit }: ModelPlacement, batch: number): string => {
  const where = `${name} on ${on}`;
  if (fit.kind === 'does-not-fit')
    return `${where}: does not fit, ${figureText(formatBytes(fit.missingBytes))} are missing`;
  if (isUnknown(time)) return `${where}: not known, ${time.reason}`;
  const { tokensPerSecond: rate, seconds, boundTokensPerSecond, layers } = time;
  const parts = layers.map(layer => `${LAYER_LABELS[layer.term]} ${ms(layer.seconds)}`).join(', ');
  return `${where}: ${ms(seconds.value)} a ${batch === 1 ? 'token' : 'step'}, ${digits(rate.value)} tokens a second, between ${digits(rate.low)} and ${digits(rate.high)}, at most ${digits(boundTokensPerSecond)}; ${parts}`;
};

interface HeadroomLead {
  /** "40 – 45"; '–' where nothing is known. */
  readonly figure: string;
  readonly under: string;
  readonly strong: string;
  readonly rest: string;
}

export const headroomLead = (
  { ranked }: ModelPlacements,
  {
    achieved,
    batch,
    nodeCount,
  }: { readonly achieved: Achieved | undefined; readonly batch: number; readonly nodeCount: number },
): HeadroomLead => {
  const [best] = ranked;
  if (best === undefined)
    return {
      figure: '–',
      under: '',
      strong: nodeCount === 0 ? 'No node is known yet.' : 'No node is up.',
      rest: '',
    };
  if (best.fit.kind === 'does-not-fit')
    return {
      figure: '–',
      under: `on ${best.on}`,
      strong: 'It fits on none of the machines here.',
      rest: `Nearest is ${best.on}: ${best.why}.`,
    };
  if (isUnknown(best.time))
    return {
      figure: '–',
      under: `on ${best.on}`,
      strong: 'What it should do is not known.',
      rest: `${best.on}: ${best.time.reason}.`,
    };
  const { tokensPerSecond: rate, boundTokensPerSecond, layers, seconds } = best.time;
  const fits =
    best.fit.kind === 'fits'
      ? 'It fits'
      : best.fit.kind === 'tight'
        ? 'It may just fit'
        : 'Whether it fits is not known';
  const reached =
    achieved?.placement === best.key ? `; it was measured at ${digits(batch / achieved.seconds)}` : '';
  const reading = layers
    .filter(({ term }) => term === 'weights' || term === 'experts' || term === 'cache')
    .reduce((sum, layer) => sum + layer.seconds, 0);
  const second = ranked[1];
  return {
    figure: `${digits(rate.low)} – ${digits(rate.high)}`,
    under: `expected on ${best.on}${batch === 1 ? '' : `, of all ${counted(batch, 'request')} together`}`,
    strong: `${fits}${best.fit.kind === 'fits' ? ', and it' : '; it'} should run at ${digits(rate.value)} tok/s${reached}.`,
    rest: `Reading weights and cache takes ${Math.round((reading / seconds.value) * 100)}\u202f% of each ${batch === 1 ? 'token' : 'step'}; the limit is ${best.limit}. No engine is faster than ${digits(boundTokensPerSecond)} tok/s on it without guessing ahead.${second === undefined || isUnknown(second.time) || second.why === '' ? '' : ` Second is ${second.on}: ${second.why}.`}`,
  };
};

/** "A prompt of 8 192 tokens is read in 1.8 to 4.1 s, in 1.2 s at the least: that is the 16-bit ceiling, …" */
export const promptSummary = (prefill: PrefillTime | Unknown, promptTokens: number): string => {
  if (isUnknown(prefill)) return `The time to read a prompt is not known: ${prefill.reason}.`;
  const { boundSeconds, expectedSeconds, limit } = prefill;
  const bound =
    limit === 'compute'
      ? 'the ceiling of 16-bit products, which engines that multiply in 8 or 4 bits can exceed'
      : 'the time to read the weights';
  return `A prompt of ${counted(promptTokens, 'token')} is read in ${time(expectedSeconds.low)} to ${time(expectedSeconds.high)}; in ${time(boundSeconds)} at ${bound}.`;
};

interface ReachedText {
  readonly label: string;
  readonly tone: 'good' | 'caution' | 'plain';
  /** What may be behind it, in the order in which to look; '' where there is nothing to look for. */
  readonly causes: string;
}

export const reachedText = ({ standing }: Pick<Achieved, 'standing'>): ReachedText =>
  STANDING_LABELS[standing];

const STANDING_LABELS: Readonly<Record<Achieved['standing'], ReachedText>> = {
  'above-bound': {
    label: 'above the bound',
    tone: 'caution',
    causes:
      'Faster than the measured ceilings allow. In this order: speculative decoding, other facts of the model than those of this file, a probe that reads low or was made under another power limit.',
  },
  faster: { label: 'above the interval', tone: 'good', causes: '' },
  inside: { label: 'inside the interval', tone: 'good', causes: '' },
  slower: {
    label: 'below the interval',
    tone: 'caution',
    causes:
      'Slower than engines of this kind are. In this order: throttled clocks, layers left in host memory, a narrow PCIe slot, another process on the device, a client that was the limit.',
  },
};

const time = (seconds: number): string => figureText(formatNanoseconds(seconds * 1e9));
const digits = formatThreeDigits;
const ms = (seconds: number): string => `${formatThreeDigits(seconds * 1_000)} ms`;
