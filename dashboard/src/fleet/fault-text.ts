// A fault of a fleet in words: who, what, how much, and why, each apart, because a cell's foot has room for less than a row.

import { formatAge } from '../../../src/core/figure/duration.ts';
import {
  figureText,
  formatBytes,
  formatCelsius,
  formatCount,
  formatPercent,
} from '../../../src/core/figure/figure.ts';
import type { CableFault, LossFault } from '../../../src/core/fleet/cable-fault.ts';
import type { FleetFault } from '../../../src/core/fleet/fleet-faults.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { lossReason } from '../../../src/core/link/loss-text.ts';
import { shellCommand } from '../../../src/core/text/shell-words.ts';
import { capitalized } from '../../../src/core/text/single-line.ts';
import { formatNominalRate } from '../figure/rate.ts';
import { figureIn, type RateUnit, rateFigure } from '../link/link-text.ts';

interface FaultText {
  /** "no contact", "memory", "throttled", "slow cable", "lost link", "GPU 1:" */
  readonly what: string;
  /** "5 min", "93 %", "GPU 2", "4.58 of 100 Gb/s", "lost" */
  readonly much: string;
  /** The figure alone, for the end of a row. */
  readonly figure: string;
  /** A sentence or less. */
  readonly why: string;
}

export interface FaultSources {
  readonly unit: RateUnit;
  readonly nowMs: number;
  readonly nameOf: (node: NodeId) => string;
}

export const faultText = (fault: FleetFault, { unit, nowMs, nameOf }: FaultSources): FaultText => {
  switch (fault.kind) {
    case 'gone': {
      const since =
        fault.sinceMs === undefined ? '' : figureText(formatAge(Math.max(0, nowMs - fault.sinceMs)));
      return {
        what: fault.isStale ? 'silent' : 'no contact',
        much: since,
        figure: since,
        why:
          fault.sinceMs === undefined
            ? 'It has not answered yet.'
            : 'Its last figures are kept, with their age.',
      };
    }
    case 'over': {
      const share = figureText(formatPercent(fault.share));
      const swapped =
        fault.swappedBytes > 0
          ? `${figureText(formatBytes(fault.swappedBytes))} swapped`
          : 'above its load line';
      return {
        what: 'memory',
        much: share,
        figure: share,
        why: fault.gpu === undefined ? swapped : `GPU ${fault.gpu}, ${swapped}`,
      };
    }
    case 'hot': {
      const heat = fault.celsius === undefined ? '' : figureText(formatCelsius(fault.celsius));
      const at = heat === '' ? '' : ` at ${heat}`;
      return {
        what: 'throttled',
        much: `GPU ${fault.gpu}`,
        figure: heat === '' ? `GPU ${fault.gpu}` : heat,
        why: `GPU ${fault.gpu}${at}, ${fault.reasons.join(', ')}`,
      };
    }
    case 'gpu':
      return {
        what: `${fault.gpu}:`,
        much: fault.what,
        figure: fault.gpu,
        why: `${capitalized(fault.what)}. ${fault.why}`,
      };
    case 'lost': {
      const since = figureText(formatAge(Math.max(0, nowMs - fault.sinceMs)));
      return {
        what: fault.isPartial ? 'lost path' : 'lost link',
        much: since,
        figure: since,
        why: `${lostPaths(fault)}: ${lossReason(fault, nameOf)}`,
      };
    }
    case 'cable':
      return {
        what: 'slow cable',
        much: cableMuch(fault, unit),
        figure: figureText(rateFigure(fault.bitsPerSecond, unit)),
        why: cableWhy(fault, unit),
      };
    default:
      return fault satisfies never;
  }
};

/** Heads of the list of faults, in its order. */
export const FAULT_KINDS = ['gone', 'lost', 'gpu', 'over', 'cable', 'hot'] as const;

export const FAULT_TITLES: Readonly<Record<FleetFault['kind'], string>> = {
  gone: 'No contact',
  lost: 'Lost link or path',
  gpu: 'GPU lost or failing',
  over: 'Memory over the load line',
  cable: 'Slow cable',
  hot: 'GPU throttled',
};

/** What helps, and where to type it. */
export const faultCommand = (
  fault: FleetFault,
  nameOf: (node: NodeId) => string,
): { readonly on: string; readonly command: string } => {
  switch (fault.kind) {
    case 'gone':
      return { on: nameOf(fault.node), command: 'plimsoll status' };
    case 'over':
      return { on: nameOf(fault.node), command: 'plimsoll top' };
    case 'hot':
      return { on: nameOf(fault.node), command: 'plimsoll top' };
    case 'gpu':
      return { on: nameOf(fault.node), command: 'plimsoll doctor' };
    case 'lost':
      return { on: nameOf(fault.cause.deadEnds[0]?.node ?? fault.nodes[0]), command: 'plimsoll doctor' };
    case 'cable':
      return {
        on: nameOf(fault.nodes[0]),
        command: shellCommand`plimsoll probe link ${nameOf(fault.nodes[1])}`,
      };
    default:
      return fault satisfies never;
  }
};

/** "4.58 of 100 Gb/s": one unit for both. */
const cableMuch = ({ bitsPerSecond, expected }: CableFault, unit: RateUnit): string => {
  const whole = formatNominalRate(expected.bitsPerSecond, unit);
  const now = rateFigure(bitsPerSecond, unit);
  if (expected.kind === 'other-way')
    return `${figureText(now)}, other way ${figureText(rateFigure(expected.bitsPerSecond, unit))}`;
  return now.unit === whole.unit
    ? `${now.figure} of ${figureText(whole)}`
    : `${figureText(now)} of ${figureText(whole)}`;
};

/** "Ethernet", "Ethernet and 2 more", "Thunderbolt, others are open". */
const lostPaths = ({ type, count, isPartial }: LossFault): string =>
  `${type}${count > 1 ? ` and ${count - 1} more` : ''}${isPartial ? ', others are open' : ''}`;

const cableWhy = ({ expected, isBothWays, type, retransmits = 0 }: CableFault, unit: RateUnit): string => {
  const of =
    expected.kind === 'negotiated'
      ? `of ${figureText(formatNominalRate(expected.bitsPerSecond, unit))}`
      : `the other way ${figureText(rateFigure(expected.bitsPerSecond, unit))}`;
  const lost = retransmits >= RETRANSMITS_WORTH_SAYING ? `, ${formatCount(retransmits)} retransmits` : '';
  return `${of}, ${type}, ${isBothWays ? 'both ways' : 'one way'}${lost}`;
};

/** "378", in the unit that the key names. */
export const wayFigure = (bitsPerSecond: number | undefined, unit: RateUnit): string =>
  bitsPerSecond === undefined ? '–' : figureIn(bitsPerSecond, unit);

const RETRANSMITS_WORTH_SAYING = 100;
