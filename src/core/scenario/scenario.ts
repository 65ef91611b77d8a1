// A scenario: a named benchmark that others can repeat. It is options that a run of it has unless it is given others, and
// rules by which its report shows that the run is valid, or why not. One declaration: options, docs, checks and reports
// derive from it.

import type { JsonObject } from '../json.ts';
import type { RuleKey } from './scenario-rules.ts';

export interface BenchScenario {
  readonly name: string;
  /** What it measures, one sentence. */
  readonly summary: string;
  /** Options of `plimsoll bench` by their names, as a file of runs has them. */
  readonly options: JsonObject;
  /** Its rules with their limits: ms, or a share; 1 for a rule without one. */
  readonly rules: Readonly<Partial<Record<RuleKey, number>>>;
}

/**
 * AgentX of InferenceX (SemiAnalysisAI/agentx-harness, `inferencex-agentx-mvp` in
 * src/aiperf/common/scenario/inferencex_agentx_mvp.py, with the limit of failures of its `agentx`). Not checked here: that
 * the trace is the public corpus cc-traces-weka-062126.
 */
const AGENTX: BenchScenario = {
  name: 'agentx',
  summary: 'Recorded coding agents with their subagents, by the public rules of AgentX (InferenceX).',
  options: {
    duration: '30m',
    'start-at': '0%..100%',
    prime: true,
    recycle: true,
    'nonce-of': 'session',
    'idle-max': '10s',
    streaming: 'on',
  },
  rules: {
    'agent-trace': 1,
    subagents: 1,
    lanes: 1,
    'recorded-pauses': 1,
    'idle-max': 10_000,
    'start-anywhere': 1,
    primed: 1,
    'nonce-at-first-turn': 1,
    streamed: 1,
    'whole-answers': 1,
    duration: 900_000,
    coverage: 0.95,
    counted: 0.95,
    'context-refusals': 0.01,
    failures: 0.1,
    finished: 1,
  },
};

export const SCENARIOS: readonly BenchScenario[] = [AGENTX];
