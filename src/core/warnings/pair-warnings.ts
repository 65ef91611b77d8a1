// Links that carry far less than others of their kind between the same two racks, or within one: if the
// expected rate of a cable is unknown, its neighbours are the reference.

import { counted, figureText, formatBitsPerSecond } from '../figure/figure.ts';
import { groupsOf } from '../group/group-by.ts';
import { nodePlace } from '../group/node-place.ts';
import type { NodeId } from '../ids.ts';
import { linkShortfall } from '../link/link-shortfall.ts';
import type { FigureView, LinkView } from '../link/link-view.ts';
import type { NodeView } from '../node/node-view.ts';
import { lowerPercentile } from '../statistics/percentile.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { knownOr } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

export const pairWarnings = (
  views: readonly NodeView[],
  links: readonly LinkView[],
): readonly FoundWarning[] => {
  const names = new Map(views.map(({ nodeId, name }) => [nodeId, name]));
  const racks = new Numbers();
  const rackOf = new Map<NodeId, number>();
  for (const view of views) {
    const [rack] = groupsOf(nodePlace(view), { kind: 'rack' });
    if (rack !== undefined && rack.id !== '') rackOf.set(view.nodeId, racks.of(rack.id));
  }
  const sorts = new Numbers();
  const equal = new Map<number, Measured[]>();
  for (const link of rackOf.size === 0 ? [] : links) {
    const slower = SLOWER.get(link) ?? slowerOf(link);
    const a = rackOf.get(link.nodes[0]);
    const b = rackOf.get(link.nodes[1]);
    if (slower === undefined || a === undefined || b === undefined) continue;
    const pair = Math.min(a, b) * views.length + Math.max(a, b);
    // There are at most as many racks and kinds as nodes and links: exact in a double.
    const key = sorts.of(slower.sort) * views.length ** 2 + pair;
    const existing = equal.get(key);
    if (existing === undefined) equal.set(key, [slower]);
    else existing.push(slower);
  }
  return [...equal].flatMap(([key, measured]) => {
    if (measured.length < EQUAL_MIN) return [];
    const rates = measured.map(({ figure }) => figure.value).sort((a, b) => a - b);
    const median = lowerPercentile(rates, 50);
    const pair = key % views.length ** 2;
    const between = [racks.named(Math.floor(pair / views.length)), racks.named(pair % views.length)] as const;
    return measured
      .filter(({ link, figure }) => figure.value < FAR_BELOW * median && linkShortfall(link) === undefined)
      .map(each => warningOf(each, { median, count: measured.length, racks: between, names }));
  });
};

/** Numbers texts in order of appearance: a key of two numbers is faster to make than one of two texts. */
class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const assigned = this.#numbers.get(text) ?? this.#numbers.size;
    if (assigned === this.#numbers.size) this.#numbers.set(text, assigned);
    return assigned;
  }

  named(number: number): string {
    return [...this.#numbers.keys()][number] ?? '';
  }
}

interface Measured {
  readonly link: LinkView;
  readonly figure: FigureView;
  readonly direction: 'there' | 'back';
  /** Links of one medium, type and negotiated rate are compared. */
  readonly sort: string;
}

interface EqualPair {
  readonly median: number;
  readonly count: number;
  readonly racks: readonly [string, string];
  readonly names: ReadonlyMap<NodeId, string>;
}

const warningOf = (
  { link: { key, nodes }, figure, direction }: Measured,
  { median, count, racks: [one, other], names }: EqualPair,
): FoundWarning => {
  const [a = '', b = ''] = nodes.map(node => names.get(node));
  const [from, to] = direction === 'there' ? [a, b] : [b, a];
  const where =
    one === other ? sentence`within rack ${one}` : sentence`between the racks ${one} and ${other}`;
  return {
    id: `link pair ${key}`,
    level: 'caution',
    nodes,
    title: sentence`${from} to ${to}: ${plainSentence(rate(figure.value))} is far less than others ${where}`,
    why: sentence`The median of the ${plainSentence(counted(count, 'link'))} of its kind there is ${plainSentence(rate(median))}. A bad cable, a wrong port or other traffic may be the cause; measure again after a change.`,
    on: from,
    command: shellCommand`plimsoll probe link ${to}`,
  };
};

const slowerOf = (link: LinkView): Measured | undefined => {
  const { there, back, standing } = link;
  const direction =
    there !== undefined && (back === undefined || there.value <= back.value) ? 'there' : 'back';
  const figure = link[direction];
  if (standing.kind !== 'measured' || figure === undefined) return undefined;
  const { medium, carrier } = figure.of;
  const sort = `${medium} ${knownOr(carrier.type, '?')} ${knownOr(carrier.negotiatedBitsPerSecond, '?')}`;
  const measured = { link, figure, direction, sort } as const;
  SLOWER.set(link, measured);
  return measured;
};

// Only a cache: a changed link is another object.
const SLOWER = new WeakMap<LinkView, Measured>();

const rate = (bitsPerSecond: number): string => figureText(formatBitsPerSecond(bitsPerSecond));

/** Fewer links of one kind are too few for a comparison. */
const EQUAL_MIN = 4;
/** Sound links of one kind differ by less; the same share as for a cable's own shortfall. */
const FAR_BELOW = 0.6;
