// Links that carry far less than others of their kind between the same two racks, or within one: where nobody knows what a cable
// should carry, its neighbours do.

import { figureText, formatBitsPerSecond } from '../figure/figure.ts';
import { groupsOf } from '../group/group-by.ts';
import { nodePlace } from '../group/node-place.ts';
import type { NodeId } from '../ids.ts';
import { linkShortfall } from '../link/link-shortfall.ts';
import type { FigureView, LinkView } from '../link/link-view.ts';
import type { NodeView } from '../node/node-view.ts';
import { lowerPercentile } from '../statistics/percentile.ts';
import { knownOr } from '../unknown.ts';
import type { Warning } from './warning.ts';

export const pairWarnings = (views: readonly NodeView[], links: readonly LinkView[]): readonly Warning[] => {
  const racks = new Map<NodeId, string>();
  const names = new Map<NodeId, string>();
  for (const view of views) {
    const [rack] = groupsOf(nodePlace(view), { kind: 'rack' });
    if (rack !== undefined && rack.id !== '') racks.set(view.nodeId, rack.id);
    names.set(view.nodeId, view.name);
  }
  if (racks.size === 0) return [];
  const alike = new Map<string, Measured[]>();
  for (const link of links) {
    const slower = slowerOf(link);
    const [a, b] = link.nodes.map(node => racks.get(node));
    if (slower === undefined || a === undefined || b === undefined) continue;
    const pair = a < b ? `${a}\n${b}` : `${b}\n${a}`;
    const { medium, carrier } = slower.figure.of;
    const key = `${pair}\n${medium} ${knownOr(carrier.type, '?')} ${knownOr(carrier.negotiatedBitsPerSecond, '?')}`;
    const held = alike.get(key);
    if (held === undefined) alike.set(key, [{ link, ...slower }]);
    else held.push({ link, ...slower });
  }
  return [...alike].flatMap(([key, measured]) => {
    if (measured.length < ALIKE_MIN) return [];
    const median = lowerPercentile(
      measured.map(({ figure }) => figure.value).sort((a, b) => a - b),
      50,
    );
    const [one = '', other = ''] = key.split('\n');
    return measured
      .filter(({ link, figure }) => figure.value < FAR_BELOW * median && linkShortfall(link) === undefined)
      .map(each => warningOf(each, { median, count: measured.length, racks: [one, other], names }));
  });
};

interface Measured {
  readonly link: LinkView;
  readonly figure: FigureView;
  readonly direction: 'there' | 'back';
}

interface Alike {
  readonly median: number;
  readonly count: number;
  readonly racks: readonly [string, string];
  readonly names: ReadonlyMap<NodeId, string>;
}

const warningOf = (
  { link: { key, nodes }, figure, direction }: Measured,
  { median, count, racks: [one, other], names }: Alike,
): Warning => {
  const [a = '', b = ''] = nodes.map(node => names.get(node));
  const [from, to] = direction === 'there' ? [a, b] : [b, a];
  const where = one === other ? `within rack ${one}` : `between the racks ${one} and ${other}`;
  return {
    id: `link pair ${key}`,
    level: 'caution',
    nodes,
    title: `${from} to ${to}: ${rate(figure.value)} is far less than others ${where}`,
    why: `The median of the ${count} links of its kind there is ${rate(median)}. A bad cable, a wrong port or other traffic may be why; measure again after a change.`,
    on: from,
    command: `plimsoll probe link ${/^[A-Za-z0-9._-]+$/.test(to) ? to : `'${to.replaceAll("'", `'\\''`)}'`}`,
  };
};

const slowerOf = ({ there, back, standing }: LinkView): Omit<Measured, 'link'> | undefined => {
  if (standing.kind !== 'measured') return undefined;
  if (there !== undefined && (back === undefined || there.value <= back.value))
    return { figure: there, direction: 'there' };
  return back === undefined ? undefined : { figure: back, direction: 'back' };
};

const rate = (bitsPerSecond: number): string => figureText(formatBitsPerSecond(bitsPerSecond));

/** Fewer links of one kind say nothing of each other. */
const ALIKE_MIN = 4;
/** Sound links of one kind differ by less; as a cable's own shortfall. */
const FAR_BELOW = 0.6;
