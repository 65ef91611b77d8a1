// The nodes of a map of hundreds, reduced to what is drawn. A speck stays the same object while nothing visible has
// changed, so the page updates only those that have; texts for screen readers are updated in turn.

import type { NodeId } from '../../../src/core/ids.ts';
import { modelMemoryUse, SAFE_LOAD, usedShare } from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { InTurn } from '../figure/in-turn.ts';
import { nodeWords } from '../node/node-words.ts';
import type { Arrangement } from './arrangement.ts';
import type { Point } from './geometry.ts';

export interface Speck {
  readonly nodeId: NodeId;
  readonly name: string;
  readonly said: string;
  readonly state: '' | 'stale' | 'offline';
  readonly isOver: boolean;
  /** Of its hull, in whole pixels and a half, so that its outline is sharp. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Of the water in it. */
  readonly rise: number;
  readonly middle: Point;
}

export class Specks {
  readonly #words = new InTurn<NodeView, string>();
  #list: readonly Speck[] = [];

  read(
    views: readonly NodeView[],
    { drawing, places }: Arrangement,
    lagMs: number | undefined,
  ): readonly Speck[] {
    const states = views.map(view => stateOf(view, lagMs));
    const said = this.#words.read(views, {
      keyOf: view => view.nodeId,
      tell: view => saidOf(view, lagMs),
      // One that has become stale or offline is updated at once.
      isSeen: index => states[index] !== this.#list[index]?.state,
      basis: [views.length, lagMs],
    });
    const list = views.flatMap((view, index): Speck[] => {
      const place = places[index];
      if (place === undefined) return [];
      const level = usedShare(modelMemoryUse(view));
      const { width, height } = drawing;
      const speck: Speck = {
        nodeId: view.nodeId,
        name: view.name,
        said: said[index] ?? '',
        state: states[index] ?? '',
        isOver: level !== undefined && level > SAFE_LOAD,
        x: Math.round(place.x - width / 2) + 0.5,
        y: Math.round(place.y - height / 2) + 0.5,
        width,
        height,
        rise: level === undefined ? 0 : Math.round((height - 2) * Math.min(1, level)),
        middle: place,
      };
      const before = this.#list[index];
      return [before !== undefined && isSame(before, speck) ? before : speck];
    });
    this.#list = list;
    return list;
  }
}

const stateOf = ({ presence }: NodeView, lagMs: number | undefined): Speck['state'] =>
  presence === 'offline' ? 'offline' : presence === 'live' && lagMs === undefined ? '' : 'stale';

const saidOf = (view: NodeView, lagMs: number | undefined): string => {
  const { name, model, memory, hostMemory, measured, vitals } = nodeWords(view, lagMs);
  return [name, model, memory, hostMemory, measured, vitals].filter(text => text !== '').join(', ');
};

const isSame = (a: Speck, b: Speck): boolean =>
  a.nodeId === b.nodeId &&
  a.said === b.said &&
  a.rise === b.rise &&
  a.state === b.state &&
  a.isOver === b.isOver &&
  a.name === b.name &&
  a.middle === b.middle;
