// Headroom on the machines of a cluster as they are now: a pure view of State, the same for a terminal, a
// program and the page.

import type { NodeId } from '../ids.ts';
import { nodeView } from '../node/node-view.ts';
import { nodeIds } from '../node/presence-view.ts';
import type { State } from '../state.ts';
import { type Headroom, headroom } from './headroom.ts';
import { type HeadroomQuestion, headroomDevices } from './headroom-devices.ts';
import { headroomLinks } from './headroom-links.ts';
import type { ModelFacts } from './model-facts.ts';
import { nodeCalibrations } from './node-calibrations.ts';

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
  const devices = views.flatMap(view => {
    const calibrations = nodeCalibrations(state, view.nodeId, nowMs);
    return headroomDevices(view).map(device => ({ ...device, calibrations }));
  });
  return headroom(model, devices, question, headroomLinks(state, nowMs));
};
