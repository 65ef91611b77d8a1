// Each two nodes with the time of their all-reduce, over the path that is fastest at it.

import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import type { AcceptanceSources } from './acceptance-check.ts';
import { type AcceptedPath, acceptedPaths } from './accepted-path.ts';

export type ExchangeFigure = 'allReduceNs16Kib' | 'allReduceNs1Mib';

export interface ExchangePair {
  readonly path: AcceptedPath;
  readonly timeNs: Reported<number>;
}

export const exchangePairs = (
  sources: AcceptanceSources,
  exchange: ExchangeFigure,
): readonly ExchangePair[] => {
  const ofLinks = Map.groupBy(
    acceptedPaths(sources).filter(({ of }) => of.medium !== 'wifi'),
    ({ link }) => link.key,
  );
  return [...ofLinks.values()].flatMap((paths): readonly ExchangePair[] => {
    const timed = paths.flatMap((path): readonly ExchangePair[] => {
      const timeNs = path.unmeasured ?? path.of.profile?.[exchange] ?? unknown('not measured yet');
      return [{ path, timeNs }];
    });
    const known = timed
      .filter(({ timeNs }) => isKnown(timeNs))
      .toSorted((a, b) => (isUnknown(a.timeNs) || isUnknown(b.timeNs) ? 0 : a.timeNs - b.timeNs));
    return [known[0] ?? timed[0] ?? []].flat();
  });
};
