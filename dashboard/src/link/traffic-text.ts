// The current traffic of a link as text, next to what it was measured to carry: from the counters of the ports at both ends.

import { figureText, formatFinePercent } from '../../../src/core/figure/figure.ts';
import { trafficFrom } from '../../../src/core/link/link-traffic.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { State } from '../../../src/core/state.ts';
import { isKnown, isUnknown, type Reported } from '../../../src/core/unknown.ts';
import { directionOf } from './direction.ts';
import { type RateUnit, rateFigure } from './link-text.ts';

interface TrafficText {
  /** "at most 1.2 Gb/s in use now, 12 % of what was measured". */
  readonly now: string;
  /** What each end reports, and that it is the whole traffic of its port. */
  readonly how: string;
}

export const trafficText = (
  state: State,
  { link, from, nowMs }: { readonly link: LinkView; readonly from: string; readonly nowMs: number },
  { nameOf, unit }: { readonly nameOf: (id: string) => string; readonly unit: RateUnit },
): TrafficText => {
  const { now: measured } = directionOf(link, from);
  const node = link.nodes[0] === from ? link.nodes[0] : link.nodes[1];
  const facts = measured?.of ?? link.best;
  const way = trafficFrom(state, facts, node, nowMs);
  const { sentBitsPerSecond: sent, receivedBitsPerSecond: received, mostBitsPerSecond: most } = way;
  if (isUnknown(most)) return { now: 'in use now: –', how: most.reason };
  const share =
    measured === undefined || measured.value <= 0
      ? ''
      : `, ${figureText(formatFinePercent(most / measured.value))} of what was measured`;
  const side = (id: string, does: string, value: Reported<number>): string =>
    isKnown(value)
      ? `the port of ${nameOf(id)} ${does} ${text(value, unit)}`
      : `${nameOf(id)}: ${value.reason}`;
  return {
    now: `at most ${text(most, unit)} in use now${share}`,
    how: `${side(way.from, 'sends', sent)}, ${side(way.to, 'gets', received)}`,
  };
};

/** The sending end's port of the measured connection: its node reports traffic by port. */
export const sendingPort = (link: LinkView, from: string): Reported<string> => {
  const { source, carrier } = directionOf(link, from).now?.of ?? link.best;
  return (from === source ? carrier.ends.source : carrier.ends.sink).interfaceName;
};

const text = (bitsPerSecond: number, unit: RateUnit): string => figureText(rateFigure(bitsPerSecond, unit));
