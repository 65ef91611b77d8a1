// The mesh of a demo: it exists in the memory of one process, so its daemon has no cluster key, no port and no peers to report.
// Its nodes are only in the state.

import { formatAge } from '../../core/figure/duration.ts';
import { figureText } from '../../core/figure/figure.ts';
import type { NodeId } from '../../core/ids.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import { knownValue } from '../../core/node/reading-view.ts';
import { type Check, checksOf } from './check.ts';

const check = checksOf('mesh');

/** Undefined where the node is a real one. */
export const simulatedMeshChecks = (
  views: readonly NodeView[],
  own: NodeId,
): readonly Check[] | undefined => {
  const here = views.find(({ nodeId }) => nodeId === own);
  if (here === undefined || knownValue(here.identity)?.isSimulated !== true) return undefined;
  const others = views.filter(view => view !== here);
  const count = views.length === 1 ? '1 node' : `${views.length} nodes`;
  return [
    check('ok', `it is simulated, in the memory of this daemon: ${count}`, ''),
    ...others.map(({ name, presence, silentMs, stoppedMs }) => {
      if (presence === 'live') return check('ok', `${name} is linked`, '');
      if (stoppedMs !== undefined) return check('note', `${name} was stopped`, '');
      const silence = Number.isFinite(silentMs) ? `, silent for ${figureText(formatAge(silentMs))}` : '';
      return check(
        'note',
        `${name} is ${presence}${silence}`,
        'The demo simulates nodes that go and come back.',
      );
    }),
  ];
};
