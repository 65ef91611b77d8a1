// Plans of small loads for tests, and the prompts for them.

import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import type { LoadTarget } from '../../../src/bench/target/load-target.ts';
import { requestBodies } from '../../../src/bench/target/request-bodies.ts';

export interface PlanOptions extends Partial<Omit<LoadPlan, 'target'>> {
  readonly host: string;
  readonly port: number;
  readonly tls?: LoadTarget['tls'];
  readonly model?: string;
  /** Of the one prompt. */
  readonly content?: string;
}

export const loadPlan = ({
  host,
  port,
  tls,
  model = 'mock-model',
  content = 'hello',
  ...plan
}: PlanOptions): LoadPlan => {
  const isStreaming = plan.isStreaming ?? true;
  return {
    target: {
      host,
      port,
      path: '/v1/chat/completions',
      hostHeader: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
      tls,
    },
    headers: [],
    bodies: requestBodies([{ messages: [{ role: 'user', content }], maxTokens: undefined }], {
      model,
      isStreaming,
      hasNonce: true,
      noncePrefix: '0badcafe',
    }),
    isStreaming,
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
