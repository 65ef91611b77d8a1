// A run from the agents that a command names, each time over channels of its own. Brings ZeroMQ along: loaded late.

import { runBench } from '../../bench/bench.ts';
import { runFleetBench } from '../../bench/fleet/run-fleet.ts';
import type { ProcessState } from '../process-state.ts';
import { agentsOfStage, type NamedAgents } from './load-agents.ts';
import { openAgents } from './open-agents.ts';

/** @throws as runBench does, and CommandError where an agent cannot be had. */
export const agentsRun =
  (state: ProcessState, home: string, named: NamedAgents): typeof runBench =>
  async (request, parts) => {
    if (named === undefined) return await runBench(request, parts);
    const channels = await openAgents(state, { home, ...named, signal: parts.stop });
    return await runFleetBench(request, parts, channels);
  };

/** The same for a stage of a sweep or a line, which may have fewer requests at a time than there are agents. */
export const stageAgentsRun =
  (state: ProcessState, home: string, named: NamedAgents): typeof runBench =>
  (request, parts) =>
    agentsRun(state, home, agentsOfStage(named, request))(request, parts);
