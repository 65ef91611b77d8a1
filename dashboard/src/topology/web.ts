// The plain links of a large cluster as a few long paths, and which of them a pointer means.

import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { Point } from './geometry.ts';
import { distanceTo } from './geometry.ts';
import type { MapRoute } from './map-layout.ts';
import type { LinkRoute } from './route.ts';

export type Strand = 'fast' | 'plain' | 'air' | 'gone';

/** One path a strand; '' where it has no link. */
export const webPaths = (
  links: readonly LinkView[],
  routeOf: ReadonlyMap<string, LinkRoute>,
): Readonly<Record<Strand, string>> => {
  const paths: Record<Strand, string[]> = { fast: [], plain: [], air: [], gone: [] };
  for (const link of links) {
    const route = routeOf.get(link.key);
    if (route !== undefined) paths[strandOf(link)].push(linePath(route));
  }
  return {
    fast: paths.fast.join(''),
    plain: paths.plain.join(''),
    air: paths.air.join(''),
    gone: paths.gone.join(''),
  };
};

export const strandOf = ({ standing, medium }: LinkView): Strand => {
  if (standing.kind === 'gone') return 'gone';
  if (medium === 'rdma') return 'fast';
  return medium === 'wifi' || medium === 'overlay' ? 'air' : 'plain';
};

export const linePath = ({ p, q }: LinkRoute): string =>
  `M${p.x.toFixed(1)} ${p.y.toFixed(1)}L${q.x.toFixed(1)} ${q.y.toFixed(1)}`;

/** The denser, the fainter: a web of thousands is a tint, and the few lines that matter stay on top of it. */
export const webOpacity = (count: number): number => Math.min(0.5, Math.max(0.05, 6 / Math.sqrt(count)));

/** The link whose line is nearest to a point, if any is near enough. */
export const linkAt = (
  at: Point,
  routes: readonly MapRoute[],
  isAsked: (key: string) => boolean,
): string | undefined => {
  let nearest: { readonly key: string; readonly away: number } | undefined;
  for (const { key, p, q } of routes) {
    const away = distanceTo(at, p, q);
    if (away <= (nearest?.away ?? NEAR) && isAsked(key)) nearest = { key, away };
  }
  return nearest?.key;
};

/** Half of the 18 px of a separate line would be too much among so many. */
const NEAR = 4;
