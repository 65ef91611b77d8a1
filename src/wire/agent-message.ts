// What passes between the coordinator of a run and one of its agents, over a separate channel, never through
// a relay. Their encoding is in agent-message-codec.ts.
//
//   agent        coordinator
//   hello   →
//           ←    dataset…          only where prompts come from a file
//           ←    survey            to the first agent alone
//   surveyed →                     or refused
//           ←    prepare           agents connect and warm up
//   ready   →                      or refused
//           ←    ping   (20 times, answered by pong at once)
//           ←    start
//   phase, live…, facts… →         `alive` once a second at any time, so that silence is detected
//   ended   →
//           ←    ping   (20 times), then collect
//   samples… →
//           ←    done

import { INPUT_LIMITS } from '../core/input/input-limits.ts';
import type { ArrivalStamps } from '../core/run/arrival-stamps.ts';
import type { ReportEnvironment } from '../core/run/report.ts';
import type { Reported } from '../core/unknown.ts';
import type { AgentRequest, AgentShare, AgentSurvey } from './agent-request.ts';

export const AGENT_SCHEMA = 'plimsoll.agent/1';

/** Sent by the coordinator. */
export type CoordinatorMessage =
  /**
   * Part `index` of the data set, from 0: raw DEFLATE (RFC 1951). Joined, they are lines, each a prompt as
   * JSON.
   */
  | {
      readonly kind: 'dataset';
      readonly index: number;
      readonly isLast: boolean;
      /** Before compression. */
      readonly rawBytes: number;
      readonly bytes: Uint8Array;
    }
  /** Queries the server, and measures the token cost of words if needed. */
  | { readonly kind: 'survey'; readonly request: AgentRequest }
  | {
      readonly kind: 'prepare';
      readonly request: AgentRequest;
      readonly share: AgentShare;
      readonly survey: AgentSurvey;
      /** `promptsDigest` of what all agents are to send; an agent with another digest refuses. */
      readonly promptsDigest: string;
      /** What it reports of its samples during the load; without it nothing. */
      readonly facts?: WantedFacts;
    }
  /** Answered at once, at any time. */
  | { readonly kind: 'ping'; readonly id: number }
  /** The zero of the schedule, on the agent's clock. */
  | { readonly kind: 'start'; readonly atNs: number }
  /**
   * drain: no more is issued; cancel: what is in flight is cancelled too, and the run still counts as
   * complete; abort: it does not.
   */
  | { readonly kind: 'stop'; readonly how: 'drain' | 'cancel' | 'abort' }
  /** Requests the sample file. */
  | { readonly kind: 'collect' }
  /** Everything was received: the agent may delete the run. */
  | { readonly kind: 'done' };

/**
 * Sent by an agent. Its clock is whole ns since a zero that it chose when the channel opened, monotonic;
 * stamps of samples are ns since the zero of its run, which `ready` contains on that clock.
 */
export type AgentMessage =
  | {
      readonly kind: 'hello';
      /** Version of the program, for people. */
      readonly version: string;
      /** Name of the node or the machine. */
      readonly name: string;
      readonly environment: ReportEnvironment;
      readonly caps: AgentCaps;
    }
  | { readonly kind: 'surveyed'; readonly survey: AgentSurvey }
  /** Connections are open and the warm-up is over: waits for `start`. */
  | {
      readonly kind: 'ready';
      readonly runZeroNs: number;
      readonly connectionsOpened: number;
      /** Who takes the timestamps of its replies; unknown from a version that does not report it. */
      readonly stamps: Reported<ArrivalStamps>;
      /** Number of ephemeral ports that the system assigns per source address; unknown if not reported. */
      readonly ephemeralPorts: Reported<number>;
      readonly notices: readonly string[];
    }
  /** It does not take part. The channel is closed afterwards. */
  | { readonly kind: 'refused'; readonly problem: AgentProblem }
  | { readonly kind: 'pong'; readonly id: number; readonly atNs: number }
  | { readonly kind: 'alive' }
  | { readonly kind: 'phase'; readonly phase: AgentPhase }
  /**
   * A packed snapshot in the format of this schema, its series with the counts of their histograms, so that
   * they can be added.
   */
  | { readonly kind: 'live'; readonly snapshot: Uint8Array }
  /**
   * The records of its load since the last such message: complete up to `untilNs`, except for what is still
   * being sent.
   */
  | {
      readonly kind: 'facts';
      /** Since the zero of its run. */
      readonly untilNs: number;
      /** Event batches as in wire/event-batch.ts; none if only ends are requested. */
      readonly batches: readonly Uint8Array[];
      /** Whole lines of its sample file. */
      readonly lines: Uint8Array;
    }
  | { readonly kind: 'notice'; readonly text: string }
  | {
      readonly kind: 'ended';
      readonly state: 'complete' | 'interrupted' | 'incomplete';
      readonly runProblems: readonly string[];
      /** As in `live`; empty if the agent has none. */
      readonly snapshot: Uint8Array;
      /** Its own report.json: counts, outcomes and verdict of this agent alone. Empty if it has none. */
      readonly report: string;
      /** Size of the sample file that `collect` requests. */
      readonly samplesBytes: number;
    }
  /** Part `index` of the sample file, from 0: raw DEFLATE. */
  | {
      readonly kind: 'samples';
      readonly index: number;
      readonly isLast: boolean;
      readonly rawBytes: number;
      readonly bytes: Uint8Array;
    };

/**
 * ends: lines of samples as they end; all: also when they were sent, and when their first content arrived.
 */
export type WantedFacts = (typeof WANTED_FACTS)[number];

export type AgentPhase = (typeof AGENT_PHASES)[number];

/** Limits in an agent's own config; unknown: no limit. */
interface AgentCaps {
  readonly requestsPerSecondMax: Reported<number>;
  readonly connectionsMax: Reported<number>;
  readonly durationMsMax: Reported<number>;
}

/**
 * Why an agent does not take part. `code` is stable: `not-allowed`, `target-not-allowed`, `busy` (with another coordinator), `over-caps`,
 * `input`, `unreachable`, `failed`, or one of a newer version.
 */
export interface AgentProblem {
  readonly code: string;
  readonly problem: string;
  readonly advice: string;
}

/** Parts of files are a fraction of it, live snapshots some 100 kB. Limits in docs/limits.md. */
export const AGENT_MESSAGE_BYTES_MAX: number = 8 * 1024 * 1024;
/** Size of one part of a data set or a sample file before compression: the receiver inflates no more. */
export const AGENT_PART_BYTES_MAX: number = INPUT_LIMITS.agentPart.expandedBytesMax;
/** An agent that sends nothing for this long has left the run. */
export const AGENT_SILENCE_MS_MAX = 5_000;
export const AGENT_ALIVE_MS = 1_000;
/**
 * From `prepare` until its load has ended, an agent that receives nothing from the coordinator for this long
 * ends it: nothing else could stop it. So a coordinator sends something at least every COORDINATOR_PING_MS, a
 * ping if nothing else.
 */
export const COORDINATOR_SILENCE_MS_MAX = 2_000;
export const COORDINATOR_PING_MS = 500;

export const WANTED_FACTS = ['ends', 'all'] as const;

export const AGENT_PHASES = [
  'warming up',
  'waiting',
  'ramping',
  'measuring',
  'draining',
  'stopping',
  'ended',
] as const;
