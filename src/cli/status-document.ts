// A cluster as `status --json` prints it: its state, and what views derive from it.

import { systemClock } from '../clock/system-clock.ts';
import { groupViews } from '../core/group/group-view.ts';
import { filteredViews, isFiltering, warningsOf } from '../core/group/place-filter.ts';
import type { NodeId } from '../core/ids.ts';
import { nodeView } from '../core/node/node-view.ts';
import { nodeIds } from '../core/node/presence-view.ts';
import type { State } from '../core/state.ts';
import { totalsOf } from '../core/totals.ts';
import { everyWarning } from '../core/warnings/cluster-warnings.ts';
import { boundedWarnings } from '../core/warnings/warning.ts';
import { listedGroup, listedLinks, listedNode } from '../daemon/http/cluster-views.ts';
import type { ClusterScope } from '../tui/cluster-scope.ts';
import { STATUS_SCHEMA, type StatusDocument } from '../wire/api/status-document.ts';
import type { ReportedNotice } from '../wire/notice.ts';
import { withAgesAt } from '../wire/stream-message.ts';

interface SeenCluster {
  /** Whose view it is. */
  readonly nodeId: NodeId;
  readonly plimsollVersion: string;
  readonly state: State;
}

/** State with every age counted up to now, and the combined views of it. */
export const statusDocument = (
  { nodeId, plimsollVersion, state }: SeenCluster,
  notices: readonly ReportedNotice[],
  { by, filter }: ClusterScope,
): StatusDocument => {
  const nowMs = systemClock.nowMs();
  const all = nodeIds(state).map(id => nodeView(state, id, nowMs));
  const views = filteredViews(all, filter);
  const found = everyWarning({ state, views: all, nowMs });
  const warnings = isFiltering(filter) ? warningsOf(found, views) : found;
  const shown = new Set(views.map(({ nodeId }) => nodeId));
  return {
    schema: STATUS_SCHEMA,
    nodeId,
    plimsollVersion,
    problems: notices,
    totals: totalsOf(views),
    ...(by === undefined
      ? {}
      : { groups: groupViews({ state, views, warnings, nowMs }, by).map(listedGroup) }),
    nodes: views.map(view => listedNode(state, view.nodeId, nowMs)),
    links: listedLinks(state, nowMs).filter(({ source, sink }) => shown.has(source) || shown.has(sink)),
    warnings: boundedWarnings(warnings),
    state: withAgesAt(state, nowMs),
  };
};
