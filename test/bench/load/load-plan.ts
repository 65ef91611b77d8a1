// Plans of small loads for tests, and the prompts for them.

import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { WHOLE_LOAD } from '../../../src/bench/schedule/arrivals.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import type { LoadTarget } from '../../../src/bench/target/load-target.ts';
import { requestBodies } from '../../../src/bench/target/request-bodies.ts';
import { promptOfApi } from '../prompt-of-api.ts';

export interface PlanOptions extends Partial<Omit<LoadPlan, 'target'>> {
  readonly host: string;
  readonly port: number;
  /** Default: 'chat'. */
  readonly api?: string;
  readonly tls?: LoadTarget['tls'];
  readonly model?: string;
  /** Of the one prompt. */
  readonly content?: string;
  readonly maxTokens?: number;
}

export const loadPlan = ({
  host,
  port,
  api: name = 'chat',
  tls,
  model = 'mock-model',
  content = 'hello',
  maxTokens,
  ...plan
}: PlanOptions): LoadPlan => {
  const api = serverApi(name);
  const isStreaming = plan.isStreaming ?? true;
  return {
    target: {
      host,
      port,
      path: `${api.root}${api.endpoint}`,
      hostHeader: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
      tls,
    },
    headers: [],
    api: name,
    model,
    bodies: requestBodies([promptOfApi(name, content, maxTokens)], {
      api,
      model,
      isStreaming,
      hasNonce: true,
      noncePrefix: '0badcafe',
    }),
    isStreaming,
    course: undefined,
    inFlightCap: undefined,
    share: WHOLE_LOAD,
    pattern: { kind: 'concurrency', concurrency: 1 },
    seed: 1,
    limits: { samplesMax: 1, durationNs: undefined },
    timeouts: { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000 },
    warmupRequests: 0,
    threads: { load: 1, parse: 1 },
    connections: { opened: 1, max: 100 },
    pacing: 'sleep',
    heartbeatMsMax: 10_000,
    ...plan,
  };
};
