// Each agent's state from its newest snapshot, for views of a run in progress: judged as its report will be.

import type { LiveAgent } from '../../core/run/live-agent.ts';
import { lookUp } from '../../core/run/metric-lookup.ts';
import type { RunConfig } from '../../core/run/run-config.ts';
import { RUN_RATES } from '../../core/run/run-rates.ts';
import { reportClient } from '../../metrics/report-client.ts';
import { LIVE_AGENT_TEXT_LENGTH_MAX } from '../../wire/live-agent-schema.ts';
import { type AgentLink, lossText } from './agent-link.ts';

export const liveAgents = (
  links: readonly Pick<AgentLink, 'name' | 'loss' | 'snapshot'>[],
  { run }: RunConfig,
): readonly LiveAgent[] =>
  links.map(({ name, loss, snapshot }): LiveAgent => {
    const metrics = lookUp(snapshot);
    const { pattern, streaming: isStreaming } = run;
    const droppedEvents = metrics.counter('droppedEvents');
    const { verdict, reasons } = reportClient(metrics, { pattern, droppedEvents });
    const [reason = ''] = verdict === 'client-bound' ? reasons : [];
    return {
      agent: name.slice(0, LIVE_AGENT_TEXT_LENGTH_MAX),
      state: loss === undefined ? 'loading' : 'lost',
      counts: metrics.counts('measured'),
      requestsPerSecond: RUN_RATES.requestsPerSecond.of({
        metrics,
        run: { pattern, isStreaming },
        objectives: [],
      }),
      verdict,
      reason: (loss === undefined ? reason : lossText(loss)).slice(0, LIVE_AGENT_TEXT_LENGTH_MAX),
    };
  });
