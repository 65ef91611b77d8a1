import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Placement } from '../../../dashboard/src/topology/arrangement.ts';
import { entersBox, pointAt } from '../../../dashboard/src/topology/curve.ts';
import { distanceTo, type MapFrame, meet } from '../../../dashboard/src/topology/geometry.ts';
import { headsOf } from '../../../dashboard/src/topology/heads.ts';
import {
  layoutMap,
  type MapInput,
  type MapLayout,
  type MapLink,
  type MapRoute,
} from '../../../dashboard/src/topology/map-layout.ts';
import { isLongRun, longCases, longCount } from '../../support/counts.ts';

/** The room for the map at the three widths of the page, without its paddings. */
const frameAt = (width: 390 | 900 | 1_440, count: number): MapFrame => {
  const isMany = count > 8;
  if (width === 390) return { width: 374, height: isMany ? 516 : 396 };
  if (width === 900) return { width: 852, height: count <= 4 ? 426 : isMany ? 606 : 486 };
  return { width: 1_056, height: count <= 4 ? 459 : isMany ? 606 : 516 };
};

interface Marked {
  readonly flagged?: readonly number[];
  readonly picked?: number;
}

const meshed = (count: number, frame: MapFrame, { flagged = [], picked = -1 }: Marked = {}): MapInput => {
  const ids = Array.from({ length: count }, (_, index) => `node${index}`);
  const links: MapLink[] = [];
  for (const [first, a] of ids.entries()) {
    for (const b of ids.slice(first + 1)) {
      const [isPicked, isFlagged] = [links.length === picked, flagged.includes(links.length)];
      links.push({
        key: `${a} ${b}`,
        nodes: [a, b],
        texts: 'figures',
        width: 3,
        priority: isPicked ? 3 : isFlagged ? 2 : 0,
        isPicked,
        isFlagged,
      });
    }
  }
  return {
    nodes: ids.map(id => ({ id, textWidths: { identity: 142, figures: 140 } })),
    links,
    frame,
  };
};

/** The space that the dock leaves at 1280 × 720 and 1366 × 768; map and dock are both fully in view. */
const shortFrames = (count: number): readonly MapFrame[] => {
  const mapMin = count <= 4 ? 400 : count <= 8 ? 420 : 454;
  return [
    { width: 896, height: mapMin - 54 },
    { width: 982, height: Math.max(mapMin, 768 - 57 - 74 - 230) - 54 },
  ];
};

/** Lines that leave the map by more than a part of its padding. */
const outsideOf = ({ routes }: MapLayout, { width, height }: MapFrame): readonly string[] =>
  routes
    .filter(({ line }) => line.some(({ x, y }) => x < -8 || y < -8 || x > width + 8 || y > height + 8))
    .map(({ key }) => key);

const linkCount = (count: number): number => (count * (count - 1)) / 2;

const overlaps = ({ arrangement, routes }: MapLayout): readonly string[] => {
  const labels = routes.flatMap(route => route.labels);
  const solids = arrangement.placements.flatMap(placement => placement.solids);
  const found = labels.flatMap((label, index) => [
    ...labels
      .slice(index + 1)
      .filter(other => meet(label.box, other.box))
      .map(other => `${label.key} ${label.role} on ${other.key} ${other.role}`),
    ...solids.filter(box => meet(label.box, box)).map(() => `${label.key} ${label.role} on a node`),
  ]);
  for (const [index, { box }] of arrangement.placements.entries()) {
    if (arrangement.placements.slice(index + 1).some(other => meet(box, other.box)))
      found.push(`node ${index}`);
  }
  return found;
};

/** Lines that run through a node that is not theirs. */
const trespasses = ({ arrangement, routes }: MapLayout, ids: readonly string[]): readonly string[] =>
  routes.flatMap(route => {
    const others = arrangement.placements.filter(
      (_, index) => !route.key.split(' ').includes(ids[index] ?? ''),
    );
    return others.some(({ solids }: Placement) => solids.some(box => entersBox(route.line, box)))
      ? [route.key]
      : [];
  });

/** The length over which two lines run so close that they cannot be distinguished, in px. */
const stretchAlong = (one: MapRoute, other: MapRoute): number => {
  const steps = Math.ceil(one.length / STEP);
  const others = Array.from({ length: 41 }, (_, index) => pointAt(other, index / 40));
  let [longest, run] = [0, 0];
  for (let step = 0; step <= steps; step += 1) {
    const at = pointAt(one, step / steps);
    const isOn = others.some(
      (to, index) => index > 0 && distanceTo(at, others[index - 1] ?? to, to) < REPORTED_APART,
    );
    run = isOn ? run + STEP : 0;
    longest = Math.max(longest, run);
  }
  return longest;
};
const STEP = 3;
const REPORTED_APART = 1.5;
/** Two thin lines that cross at a small angle are one for so long. */
const CROSSING_MAX = 40;

const SIZES = [5, 6, 7, 8, 9, 10, 11, 12] as const;
const WIDTHS = [390, 900, 1_440] as const;
/** A small and a large map in the default run: the arrangement is computed for each. */
const CASES = SIZES.filter(count => isLongRun || count === 6 || count === 11).flatMap(count =>
  WIDTHS.map(width => [count, width] as const),
);

describe('the map of 5 to 12 meshed nodes', () => {
  test.for(CASES)('has no line along another or through a node, %i nodes at %i px', ([count, width]) => {
    const input = meshed(count, frameAt(width, count));
    const layout = layoutMap(input);
    expect(
      trespasses(
        layout,
        input.nodes.map(({ id }) => id),
      ),
    ).toEqual([]);
    const along = layout.routes.flatMap((route, index) =>
      layout.routes
        .slice(index + 1)
        .filter(other => stretchAlong(route, other) > CROSSING_MAX)
        .map(other => `${route.key} along ${other.key}`),
    );
    expect(along).toEqual([]);
  });

  test.for(CASES)('draws every link so long that it is seen, %i nodes at %i px', ([count, width]) => {
    const { routes } = layoutMap(meshed(count, frameAt(width, count)));
    expect(routes).toHaveLength(linkCount(count));
    expect(Math.min(...routes.map(({ length }) => length))).toBeGreaterThanOrEqual(24);
  });

  test.for(CASES)(
    'shows a flagged link at least 96 px long and with its figure, %i nodes at %i px',
    ([count, width]) => {
      // In npm test some of them, others at each width.
      const step = longCount(count < 9 ? 2 : 9, 1);
      for (let index = (width / 10) % step; index < linkCount(count); index += step) {
        const { routes, hidden } = layoutMap(meshed(count, frameAt(width, count), { flagged: [index] }));
        const route = routes[index];
        expect({ index, length: route === undefined ? 0 : Math.round(route.length) }).toEqual({
          index,
          length: expect.toSatisfy((length: number) => length >= 95),
        });
        expect(hidden).not.toContain(route?.key);
        expect(route?.labels.length).toBeGreaterThan(0);
      }
    },
  );

  test('shows all figures of the picked link, and both directions of most where there is room', () => {
    const { routes } = layoutMap(meshed(5, frameAt(1_440, 5)));
    const full = routes.filter(({ labels }) => labels.length === 3);
    expect(full.length).toBeGreaterThanOrEqual(8);
    for (let picked = 0; picked < 28; picked += longCount(3, 1)) {
      const route = layoutMap(meshed(8, frameAt(1_440, 8), { picked })).routes[picked];
      expect((route?.labels.length ?? 0) === 3 || (route?.length ?? 0) < 110).toBe(true);
    }
  });

  test('reports TFLOP/s and GB/s of every node where there is room, and reports it of the arrangement', () => {
    const lines = (count: number, width: 390 | 900 | 1_440): string =>
      layoutMap(meshed(count, frameAt(width, count))).arrangement.measuredLines;
    for (const count of SIZES) expect(lines(count, 1_440)).not.toBe('compute');
    for (const count of SIZES) expect(lines(count, 900)).not.toBe('compute');
  });

  test('overlaps nothing, whichever links are flagged and whichever is picked, in any frame of a page', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 12 }),
        fc.constantFrom(...WIDTHS),
        fc.integer({ min: 0, max: 120 }),
        fc.array(fc.nat({ max: 65 }), { maxLength: 4 }),
        fc.integer({ min: -1, max: 65 }),
        (count, width, taller, flagged, picked) => {
          const { width: across, height } = frameAt(width, count);
          const layout = layoutMap(
            meshed(count, { width: across, height: height + taller }, { flagged, picked }),
          );
          expect(overlaps(layout)).toEqual([]);
        },
      ),
      { numRuns: longCount(25, 300) },
    );
  });
});

describe('the map next to a dock that is in view', () => {
  test.for(longCases([3, 5, 8, 12], [4, 6, 7, 9, 10, 11]))(
    'of %i nodes overlaps nothing on a screen of 720 or 768 px',
    count => {
      for (const frame of shortFrames(count)) {
        for (const picked of [-1, 0, linkCount(count) - 1]) {
          const layout = layoutMap(meshed(count, frame, { picked }));
          expect(overlaps(layout)).toEqual([]);
          expect(outsideOf(layout, frame)).toEqual([]);
          for (const { box } of layout.arrangement.placements) {
            expect(box.y).toBeGreaterThanOrEqual(0);
            expect(box.y + box.height).toBeLessThanOrEqual(frame.height);
          }
        }
      }
    },
  );

  test.for([5, 8, 12])(
    'shows both directions of whichever of %i nodes’ links is picked, on a phone too',
    count => {
      for (const frame of [...shortFrames(count), frameAt(390, count)]) {
        for (let picked = 0; picked < linkCount(count); picked += longCount(count < 12 ? 7 : 33, 1)) {
          for (const flagged of [[], [picked]]) {
            const { routes } = layoutMap(meshed(count, frame, { picked, flagged }));
            const roles = routes[picked]?.labels.map(({ role }) => role) ?? [];
            expect(roles, `link ${picked} in ${frame.width} × ${frame.height}`).toEqual(
              expect.arrayContaining(['toFirst', 'toSecond']),
            );
          }
        }
      }
    },
  );
});

describe('the arrowheads of a figure for both directions', () => {
  test('are those of the directions that were measured', () => {
    const { routes } = layoutMap(meshed(8, { width: 896, height: 366 }));
    const route = routes.find(
      ({ labels, length }) => length >= 64 && labels.some(({ role }) => role === 'both'),
    );
    if (route === undefined) throw new Error('no link has one figure');
    const only = { ...route, labels: route.labels.filter(({ role }) => role === 'both') };
    expect(headsOf(only, { there: true, back: true })).toHaveLength(2);
    expect(headsOf(only, { there: true, back: false })).toHaveLength(1);
  });
});
