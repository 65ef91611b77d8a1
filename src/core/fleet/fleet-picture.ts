// The content of the page of a fleet: groups with their cells, levels in whole per cent, faults, the paths
// between groups. A page of a small cluster derives it from State; for a large one the daemon derives it and
// sends it in parts, each with data that changes at the same rate.

import type { GroupBy } from '../group/group-by.ts';
import type { NodePlace } from '../group/node-place.ts';
import type { NodeId } from '../ids.ts';
import type { Total } from '../totals.ts';
import { isKnown } from '../unknown.ts';
import type { Warning } from '../warnings/warning.ts';
import type { FleetFault } from './fleet-faults.ts';
import type { FleetLink } from './fleet-links.ts';
import type { GroupPairWays, GroupWays } from './fleet-ways.ts';

export interface FleetPicture {
  readonly roster: FleetRoster;
  /** One per group, like `sums` and `ways`. */
  readonly levels: readonly GroupLevels[];
  readonly sums: readonly GroupSums[];
  readonly ways: readonly GroupWays[];
  readonly totals: FleetTotals;
  readonly faults: FleetFaults;
  readonly answers: FleetAnswers;
  /** Slowest first, by the share of the negotiated rate. */
  readonly links: readonly FleetLink[];
  /** Warnings that no cell shows. */
  readonly others: readonly Warning[];
}

/** Which node is where: changes when nodes join, leave or are renamed. */
export interface FleetRoster {
  /** As `groupByText` returns it. */
  readonly by: string;
  readonly groups: readonly RosterGroup[];
}

export interface RosterGroup {
  readonly id: string;
  readonly name: string;
  /** Why its nodes are in no group. */
  readonly reason?: string;
  readonly cells: readonly RosterCell[];
}

export interface RosterCell {
  readonly node: NodeId;
  readonly name: string;
  /** Its position in the group, for the number under the cell: "7". */
  readonly mark: string;
  readonly kind: string;
  readonly tags: readonly string[];
}

/**
 * One value per cell, in roster order. null: not reported; arrays of a thousand have no room for reasons.
 */
export interface GroupLevels {
  /** Usage of the memory that models are stored in, per cent. */
  readonly memory: readonly (number | null)[];
  /** Mean of its GPUs, per cent. */
  readonly gpu: readonly (number | null)[];
  /** One letter per cell: l live, s stale, o offline, t stopped on purpose, m being measured. */
  readonly states: string;
  /** Usage of the memory that models are stored in, over the whole group, 0..1. */
  readonly memoryUse?: number;
  /** Mean of its GPUs, 0..1. */
  readonly gpuUse?: number;
  /** Memory of host and GPUs, to a thousandth of the total. */
  readonly usedBytes: number;
}

/** Values that change when nodes or their profiles do. */
export interface GroupSums {
  readonly nodeCount: number;
  readonly upCount: number;
  /** "Mac Studio", or "mixed"; '' if unknown. */
  readonly kind: string;
  readonly flopsPerSecond: Total;
  readonly bandwidthBytesPerSecond: Total;
  /** Memory of host and GPUs. */
  readonly memoryTotalBytes: number;
  /** Memory that models are stored in. */
  readonly modelMemoryBytes: number;
  /** One per cell: links that are not gone. */
  readonly linkCounts: readonly number[];
}

interface FleetTotals {
  readonly nodeCount: number;
  readonly linkCount: number;
  readonly runCount: number;
  readonly simulatedCount: number;
}

export interface FleetFaults {
  /** Worst first, limited. */
  readonly list: readonly FleetFault[];
  /** Number of all faults. */
  readonly count: number;
  readonly nodeCount: number;
}

export interface FleetAnswers {
  readonly slowestCable?: FleetLink;
  readonly slowestPair?: GroupPairWays;
  readonly leastRoom?: RoomAnswer;
}

export interface RoomAnswer {
  readonly node: NodeId;
  readonly share: number;
  readonly swappedBytes: number;
}

/** With this many nodes or more, a cluster is shown as a fleet, and a map shows one group. */
const FLEET_NODES_MIN = 13;

export const isFleet = (nodeCount: number): boolean => nodeCount >= FLEET_NODES_MIN;

/** The default grouping of these nodes: the property that most of them report. */
export const usualGroupBy = (places: readonly NodePlace[]): GroupBy => {
  const isDeclared = (kind: 'rack' | 'site'): boolean =>
    places.filter(place => isKnown(place[kind])).length * 2 > places.length;
  if (isDeclared('rack')) return { kind: 'rack' };
  return isDeclared('site') ? { kind: 'site' } : { kind: 'kind' };
};
