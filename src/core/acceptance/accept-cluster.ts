// Judges a cluster: the table of all checks, and the stages that follow from it for the cluster at one moment.

import { ageMsOf } from '../entry-maps.ts';
import type { NodeId } from '../ids.ts';
import type { LinkView } from '../link/link-view.ts';
import { inNameOrder, nodeView } from '../node/node-view.ts';
import { nodeIds } from '../node/presence-view.ts';
import type { ProbeSubject } from '../probe/probe-status.ts';
import type { State } from '../state.ts';
import { isUnknown } from '../unknown.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { type JudgedCheck, type JudgedStage, STAGE_TITLES } from './acceptance-document.ts';
import type { AcceptancePlan } from './acceptance-plan.ts';
import { acceptedDevices, freshProfile } from './accepted-device.ts';
import { acceptedPaths } from './accepted-path.ts';
import { deviceKey, type Watched } from './cluster-watch.ts';
import { DEVICE_CHECKS } from './device-checks.ts';
import { GROUP_CHECKS } from './group-checks.ts';
import { LINK_CHECKS } from './link-checks.ts';
import { READING_CHECKS } from './reading-checks.ts';
import { SOAK_CHECKS } from './soak-checks.ts';

/** In the order of their stages. A check is one row of one of these. */
export const ACCEPTANCE_CHECKS: readonly AcceptanceCheck[] = [
  ...READING_CHECKS,
  ...DEVICE_CHECKS,
  ...LINK_CHECKS,
  ...GROUP_CHECKS,
  ...SOAK_CHECKS,
];

/** With more, the pairs alone are more than a person reads; `--nodes` picks those of one group. */
export const ACCEPTED_NODES_MAX = 64;

interface Moment {
  readonly state: State;
  readonly nowMs: number;
  /** Of the whole cluster. */
  readonly links: readonly LinkView[];
  /** Undefined: all that are known. */
  readonly requested: readonly NodeId[] | undefined;
  readonly watched: Watched;
  readonly watchedMsMin: number;
  readonly ageMsMax: number;
  readonly plan: AcceptancePlan;
}

export const acceptanceSources = ({
  state,
  nowMs,
  links,
  requested,
  plan,
  ...more
}: Moment): AcceptanceSources => {
  const ids = requested ?? nodeIds(state);
  const accepted = new Set<string>(ids);
  return {
    ...more,
    state,
    nowMs,
    nodes: inNameOrder(ids.map(id => nodeView(state, id, nowMs))),
    links: links.filter(({ nodes }) => nodes.every(node => accepted.has(node))),
    expectedNodes: plan.nodes ?? [],
  };
};

export const acceptCluster = (
  sources: AcceptanceSources,
  { limits = {}, skip = [] }: AcceptancePlan,
): readonly JudgedStage[] =>
  Object.entries(STAGE_TITLES).map(([key, title]) => ({
    key,
    title,
    checks: ACCEPTANCE_CHECKS.filter(({ id, stage }) => stage === key && !skip.includes(id)).flatMap(
      ({ id, title: what, unit, judge }) =>
        judge(sources, limits[id]).map(
          (judged): JudgedCheck => ({
            check: id,
            title: what,
            unit,
            ...pick(judged),
          }),
        ),
    ),
  }));

/** A judgement may contain more of its subject. */
const pick = ({
  subject,
  nodes,
  result,
  reason,
  value,
  limit,
  from,
}: ReturnType<AcceptanceCheck['judge']>[number]) => ({
  subject,
  nodes,
  result,
  reason: reason.slice(0, REASON_LENGTH_MAX),
  value,
  limit,
  from,
});

/** A device or path that can be measured. */
export interface Measurable {
  readonly key: string;
  readonly node: NodeId;
  readonly subject: ProbeSubject;
  /** Whether its figures count. */
  readonly isFresh: boolean;
  /** When it was last attempted, ms on the reader's clock. */
  readonly triedAtMs: number;
}

export const measurables = (sources: AcceptanceSources): readonly Measurable[] => [
  ...acceptedDevices(sources).map((device): Measurable => {
    const { nodeId, deviceId, measured } = device;
    const { profile } = measured;
    return {
      key: deviceKey(nodeId, deviceId),
      node: nodeId,
      subject: { kind: 'gpu', deviceId },
      isFresh: !isUnknown(freshProfile(device, sources)),
      triedAtMs:
        profile === undefined ? Number.NEGATIVE_INFINITY : sources.nowMs - ageMsOf(profile, sources.nowMs),
    };
  }),
  ...acceptedPaths(sources).map(
    ({ link, of: { source, sink, connectionKey, path, triedAtMs }, unmeasured }): Measurable => ({
      key: `${link.key} ${path}`,
      node: source,
      subject: { kind: 'link', sink, connectionKey },
      isFresh: unmeasured === undefined,
      triedAtMs,
    }),
  ),
];

const REASON_LENGTH_MAX = 1_000;
