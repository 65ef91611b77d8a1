// The lines at the foot of a group: the faults of its cells, the worst first. A line is next to a cable that comes down
// through the foot, never across it, and is shortened to its room; its title has all of it.

import { type FleetFault, nodesOfFault } from '../../../src/core/fleet/fleet-faults.ts';
import type { FleetRoster } from '../../../src/core/fleet/fleet-picture.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { drawnTextWidth, fitted } from '../topology/text-width.ts';
import { type FaultSources, faultText } from './fault-text.ts';
import { type FleetLayout, FOOT_LINE, type GroupBox } from './fleet-layout.ts';

export interface FootLine {
  readonly key: string;
  readonly level: FleetFault['level'];
  /** Of the sign; the words follow it. */
  readonly x: number;
  readonly y: number;
  /** "8 to r07-02", then "4.58 of 100 Gb/s". */
  readonly who: string;
  readonly what: string;
  readonly much: string;
  readonly title: string;
}

interface FootSources extends FaultSources {
  readonly layout: FleetLayout;
  readonly roster: FleetRoster;
  readonly faults: readonly FleetFault[];
  /** Where cables come down through the foot of a group, by group. */
  readonly drops: ReadonlyMap<number, readonly number[]>;
  /** Faults that a bracket already shows, by their ids. */
  readonly reported: ReadonlySet<string>;
}

export const footLines = (sources: FootSources): readonly FootLine[] => {
  const { layout, roster, drops, reported } = sources;
  const found = faultsByGroup(sources);
  return roster.groups.flatMap((_, index): FootLine[] => {
    const box = layout.groups[index];
    const faults = (found.get(index) ?? []).filter(({ id }) => !reported.has(id));
    if (box === undefined) return [];
    const listed = faults.slice(0, box.footLines);
    return listed.map((fault, line): FootLine => {
      const isLast = line === box.footLines - 1;
      const more = isLast ? faults.length - listed.length : 0;
      return footLine({ sources, group: index, box, fault, line, more, xs: drops.get(index) ?? [] });
    });
  });
};

const faultsByGroup = ({ roster, faults }: FootSources): ReadonlyMap<number, readonly FleetFault[]> => {
  const found = new Map<number, FleetFault[]>();
  const byNode = new Map<string, number[]>();
  for (const [index, { cells }] of roster.groups.entries())
    for (const { node } of cells) byNode.set(node, [...(byNode.get(node) ?? []), index]);
  for (const fault of faults) {
    for (const group of new Set(nodesOfFault(fault).flatMap(node => byNode.get(node) ?? [])))
      found.set(group, [...(found.get(group) ?? []), fault]);
  }
  return found;
};

interface Line {
  readonly sources: FootSources;
  readonly group: number;
  readonly box: GroupBox;
  readonly fault: FleetFault;
  readonly line: number;
  readonly more: number;
  readonly xs: readonly number[];
}

const footLine = ({ sources, group, box, fault, line, more, xs }: Line): FootLine => {
  const { layout, roster } = sources;
  const text = faultText(fault, sources);
  const cells = roster.groups[group]?.cells ?? [];
  const markOf = (node: NodeId): string => {
    const cell = cells.find(each => each.node === node);
    return cell === undefined ? sources.nameOf(node) : layout.isRacked ? cell.mark : cell.name;
  };
  const isHere = (node: string): boolean => cells.some(cell => cell.node === node);
  const tail = more > 0 ? ` + ${more} more` : '';
  const [who, what] = whoAndWhat(fault, text.what, { markOf, isHere, nameOf: sources.nameOf });
  const full = nodesOfFault(fault)
    .map(sources.nameOf)
    .join(fault.kind === 'lost' ? ' and ' : ' to ');
  const room = roomNextTo(box, layout.gap, xs);
  const short = fault.kind === 'cable' ? text.much.replace(/\u00a0.*$/, '') : text.much;
  const shortWhat = fault.kind === 'cable' ? 'cable' : what;
  const shortTail = more > 0 ? ` +${more}` : '';
  const choices = [
    { what, much: text.much + tail },
    { what: shortWhat, much: text.much + tail },
    { what: shortWhat, much: short + tail },
    { what: shortWhat, much: short + shortTail },
    { what: '', much: short + shortTail },
  ];
  const fits = choices.find(choice => widthOf(`${who} ${choice.what} ${choice.much}`) <= room.width);
  const chosen = fits ?? { what: '', much: short + shortTail };
  const muchRoom = Math.max(20, room.width - widthOf(`${who} ${chosen.what} `));
  return {
    key: `${group} ${fault.id}`,
    level: fault.level,
    x: room.x,
    y: box.footTop + FOOT_BASE + line * FOOT_LINE,
    who: fits === undefined ? fitted(who, FACE, room.width) : who,
    what: chosen.what,
    much: fits === undefined ? fitted(chosen.much, FACE, muchRoom) : chosen.much,
    title: `${full}: ${text.what} ${text.much}, ${text.why}${more > 0 ? `; and ${more} more in this group` : ''}`,
  };
};

const whoAndWhat = (
  fault: FleetFault,
  what: string,
  names: {
    readonly markOf: (node: NodeId) => string;
    readonly isHere: (node: string) => boolean;
    readonly nameOf: (node: NodeId) => string;
  },
): readonly [string, string] => {
  if (!('nodes' in fault)) return [names.markOf(fault.node), what];
  const [from, to] = fault.nodes;
  if (names.isHere(from) && names.isHere(to)) return [`${names.markOf(from)}–${names.markOf(to)}`, what];
  if (fault.kind === 'lost') {
    const [here, there] = names.isHere(from) ? [from, to] : [to, from];
    return [names.markOf(here), `${what} to ${names.nameOf(there)}`];
  }
  return names.isHere(from)
    ? [names.markOf(from), `to ${names.nameOf(to)}`]
    : [names.markOf(to), `from ${names.nameOf(from)}`];
};

/** The widest stretch of the foot that no cable crosses, the first of equal ones. */
const roomNextTo = (
  box: GroupBox,
  gap: number,
  xs: readonly number[],
): { readonly x: number; readonly width: number } => {
  const right = box.x + box.width + gap - NEXT_TO_NEXT;
  const edges = [...xs].filter(x => x > box.x - CLEAR && x < right).sort((a, b) => a - b);
  const starts = [box.x, ...edges.map(x => x + CLEAR)];
  const ends = [...edges.map(x => x - CLEAR), right];
  let best = { x: box.x, width: 0 };
  for (const [index, x] of starts.entries()) {
    const width = (ends[index] ?? right) - x - SIGN_ROOM;
    // Readers look for the text at the beginning: a later stretch is used only if it is much wider.
    if (width > best.width * (best.width >= ENOUGH ? 4 : 1)) best = { x, width };
  }
  return best;
};

export const nameIn = ({ groups }: FleetRoster, node: string): string => {
  for (const { cells } of groups) {
    const cell = cells.find(each => each.node === node);
    if (cell !== undefined) return cell.name;
  }
  return node.slice(0, 8);
};

const widthOf = (text: string): number => drawnTextWidth(text, FACE);

const FACE = { face: 'condensed-medium', size: 12 } as const;
/** Sign and gap before the words. */
const SIGN_ROOM = 16;
/** Distance from a cable to the text next to it. */
const CLEAR = 6;
const NEXT_TO_NEXT = 6;
/** A stretch as wide as most lines. */
const ENOUGH = 150;
/** From the top of the foot to the first line's base. */
const FOOT_BASE = 14;
