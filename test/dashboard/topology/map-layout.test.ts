import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entersBox } from '../../../dashboard/src/topology/curve.ts';
import { type Box, type MapFrame, meet } from '../../../dashboard/src/topology/geometry.ts';
import {
  layoutMap,
  type MapInput,
  type MapLayout,
  type MapLink,
} from '../../../dashboard/src/topology/map-layout.ts';
import type { LinkTexts } from '../../../dashboard/src/topology/wanted-labels.ts';

/** What is left for the map on a page of 1280 × 800: up to four nodes all of it is seen, from five on the map is 570 high. */
const frameAt1280 = (count: number): MapFrame => ({ width: 896, height: count <= 4 ? 394 : 516 });

const idsOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `node${String(index).padStart(3, '0')}`);

interface LinkLook {
  readonly texts: LinkTexts;
  readonly isRdma: boolean;
  readonly isFlagged: boolean;
}

const PLAIN: LinkLook = { texts: 'figures', isRdma: false, isFlagged: false };

const meshed = (count: number, look: (index: number) => LinkLook = () => PLAIN, picked = -1): MapInput => {
  const ids = idsOf(count);
  const links: MapLink[] = [];
  for (const [first, a] of ids.entries()) {
    for (const b of ids.slice(first + 1)) {
      const { texts, isRdma, isFlagged } = look(links.length);
      const isPicked = links.length === picked;
      links.push({
        key: `${a} ${b}`,
        nodes: [a, b],
        texts,
        width: isRdma ? 5 : 3,
        priority: isPicked ? 3 : isFlagged ? 2 : isRdma ? 1 : 0,
        isPicked,
        isFlagged,
      });
    }
  }
  return {
    nodes: ids.map(id => ({ id, textWidths: { identity: 142, figures: 140 } })),
    links,
    frame: frameAt1280(count),
  };
};

const overlaps = ({ arrangement, routes }: MapLayout): readonly string[] => {
  const labels = routes.flatMap(route => route.labels);
  const solids = arrangement.placements.flatMap((placement, node) =>
    placement.solids.map(box => ({ box, node })),
  );
  const found: string[] = [];
  for (const [index, label] of labels.entries()) {
    for (const other of labels.slice(index + 1)) {
      if (meet(label.box, other.box)) found.push(`${label.key} ${label.role} on ${other.key} ${other.role}`);
    }
    for (const { box, node } of solids) {
      if (meet(label.box, box)) found.push(`${label.key} ${label.role} on node ${node}`);
    }
  }
  for (const [index, { box, node }] of solids.entries()) {
    for (const other of solids.slice(index + 1)) {
      if (other.node !== node && meet(box, other.box)) found.push(`node ${node} on node ${other.node}`);
    }
  }
  return found;
};

const anyLook = fc.record({
  texts: fc.constantFrom<LinkTexts>('figures', 'measuring', 'waits', 'failed', 'not measured', 'none'),
  isRdma: fc.boolean(),
  isFlagged: fc.boolean(),
});

describe('the map of a full mesh at 1280 × 800', () => {
  test.for([2, 3, 4])('%i nodes show all three labels of every link, and nothing overlaps', count => {
    const layout = layoutMap(meshed(count));
    expect(overlaps(layout)).toEqual([]);
    expect(layout.hidden).toEqual([]);
    for (const route of layout.routes) {
      expect(route.labels.map(({ role }) => role).sort()).toEqual(['delay', 'toFirst', 'toSecond']);
    }
  });

  test.for([5, 6, 7, 8])('%i nodes overlap nothing, and count the labels that gave way', count => {
    const layout = layoutMap(meshed(count));
    expect(overlaps(layout)).toEqual([]);
    const shown = layout.routes.filter(({ labels }) => labels.length > 0).length;
    expect(shown + layout.hidden.length).toBe((count * (count - 1)) / 2);
    expect(shown).toBeGreaterThanOrEqual(count);
  });

  test('2 to 8 nodes overlap nothing, for any labels of their links and any selection', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 8 }),
        fc.array(anyLook, { minLength: 28, maxLength: 28 }),
        fc.integer({ min: -1, max: 27 }),
        (count, looks, picked) => {
          expect(overlaps(layoutMap(meshed(count, index => looks[index] ?? PLAIN, picked)))).toEqual([]);
        },
      ),
    );
  });

  test('no label of a compact map covers another link', () => {
    const { routes } = layoutMap(meshed(8));
    for (const { labels, key } of routes) {
      for (const { box } of labels) {
        expect(routes.filter(other => other.key !== key && entersBox(other.line, box))).toEqual([]);
      }
    }
  });

  test('the two delays at the crossing of four nodes stand in opposite quadrants', () => {
    const { routes, arrangement } = layoutMap(meshed(4));
    const middle = { x: 448, y: 197 };
    const delays = routes
      .filter(
        ({ p, q }) => Math.abs((p.x + q.x) / 2 - middle.x) < 1 && Math.abs((p.y + q.y) / 2 - middle.y) < 20,
      )
      .flatMap(({ labels }) => labels.filter(({ role }) => role === 'delay'))
      .map(({ box }) => [
        Math.sign(box.x + box.width / 2 - middle.x),
        Math.sign(box.y + box.height / 2 - middle.y),
      ]);
    expect(arrangement.placements).toHaveLength(4);
    expect(delays).toHaveLength(2);
    expect(delays[0]).toEqual(delays[1]?.map(sign => -sign));
  });

  test('a picked link gets its three labels before all others', () => {
    for (let picked = 0; picked < 28; picked += 1) {
      const { routes } = layoutMap(meshed(8, () => PLAIN, picked));
      const route = routes[picked];
      // On the shortest lines there is room for fewer.
      expect(route?.labels.length === 3 || (route?.length ?? 0) < 110).toBe(true);
    }
  });
});

test('twelve nodes stand in the frame without overlapping', () => {
  const input = { ...meshed(12), frame: { width: 896, height: 686 } };
  const boxes = layoutMap(input).arrangement.placements.map(({ box }) => box);
  for (const [index, box] of boxes.entries()) {
    expect(isIn(box, input.frame)).toBe(true);
    expect(boxes.slice(index + 1).filter(other => meet(box, other))).toEqual([]);
  }
});

const isIn = (box: Box, frame: MapFrame): boolean =>
  box.x >= -0.01 &&
  box.y >= -0.01 &&
  box.x + box.width <= frame.width + 0.01 &&
  box.y + box.height <= frame.height + 0.01;
