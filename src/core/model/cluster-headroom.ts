// Headroom on the machines of a cluster as they are now: a pure view of State, the same for a terminal, a
// program and the page.

import type { NodeId } from '../ids.ts';
import { nodeView } from '../node/node-view.ts';
import { nodeIds } from '../node/presence-view.ts';
import type { State } from '../state.ts';
import { type Headroom, headroom } from './headroom.ts';
import { type HeadroomQuestion, headroomPlaces } from './headroom-place.ts';
import type { ModelFacts } from './model-facts.ts';
import { nodeCalibrations } from './node-calibrations.ts';
import { placeLinks } from './place-links.ts';

/** @param nodes only these; undefined: all that are not offline. */
export const clusterHeadroom = (
  state: State,
  nowMs: number,
  {
    model,
    question,
    nodes,
  }: {
    readonly model: ModelFacts;
    readonly question: HeadroomQuestion;
    readonly nodes: readonly NodeId[] | undefined;
  },
): Headroom => {
  const views = nodeIds(state)
    .filter(id => nodes === undefined || nodes.includes(id))
    .map(id => nodeView(state, id, nowMs))
    .filter(({ presence }) => presence !== 'offline');
  const places = views.flatMap(view => {
    const calibrations = nodeCalibrations(state, view.nodeId, nowMs);
    return headroomPlaces(view).map(place => ({ ...place, calibrations }));
  });
  return headroom(model, places, question, placeLinks(state, nowMs));
};
