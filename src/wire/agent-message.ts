// What passes between the coordinator of a run and one of its agents, over a channel of their own, never through a relay.
// agent-message-codec.ts has their bytes.
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
//   phase, live…, facts… →         `alive` once a second at any time, so that silence tells
//   ended   →
//           ←    ping   (20 times), then collect
//   samples… →
//           ←    done

import { INPUT_LIMITS } from '../core/input/input-limits.ts';
import type { ReportEnvironment } from '../core/run/report.ts';
import type { Reported } from '../core/unknown.ts';
import type { AgentRequest, AgentShare, AgentSurvey } from './agent-request.ts';

export const AGENT_SCHEMA = 'plimsoll.agent/1';

/** Told by the coordinator. */
export type CoordinatorMessage =
  /** Part `index` of the data set, from 0: raw DEFLATE (RFC 1951). Together they are lines, each a prompt as JSON. */
  | {
      readonly kind: 'dataset';
      readonly index: number;
      readonly isLast: boolean;
      /** Before compression. */
      readonly rawBytes: number;
      readonly bytes: Uint8Array;
    }
  /** Asks the server, and what words cost where it matters. */
  | { readonly kind: 'survey'; readonly request: AgentRequest }
  | {
      readonly kind: 'prepare';
      readonly request: AgentRequest;
      readonly share: AgentShare;
      readonly survey: AgentSurvey;
      /** `promptsDigest` of what all agents are to send; another one there refuses. */
      readonly promptsDigest: string;
      /** What it is to tell of its samples while it loads; without it nothing. */
      readonly facts?: WantedFacts;
    }
  /** Answered at once, whatever else is under way. */
  | { readonly kind: 'ping'; readonly id: number }
  /** The zero of the schedule, in the agent's clock. */
  | { readonly kind: 'start'; readonly atNs: number }
  /** drain: no more is issued; cancel: what is in flight is cancelled too, and the run is as complete; abort: it is not. */
  | { readonly kind: 'stop'; readonly how: 'drain' | 'cancel' | 'abort' }
  /** The sample file is asked for. */
  | { readonly kind: 'collect' }
  /** All is there: the agent may forget the run. */
  | { readonly kind: 'done' };

/**
 * Told by an agent. Its clock is whole ns since a zero that it chose when the channel opened, monotonic; stamps of samples are
 * ns since the zero of its run, which `ready` tells in that clock.
 */
export type AgentMessage =
  | {
      readonly kind: 'hello';
      /** Of the program, for people. */
      readonly version: string;
      /** Of the node or the machine. */
      readonly name: string;
      readonly environment: ReportEnvironment;
      readonly caps: AgentCaps;
    }
  | { readonly kind: 'surveyed'; readonly survey: AgentSurvey }
  /** Connections are open and the warm-up is over: `start` is awaited. */
  | {
      readonly kind: 'ready';
      readonly runZeroNs: number;
      readonly connectionsOpened: number;
      /** Ephemeral ports of one source address that the system gives out; unknown where it does not tell. */
      readonly ephemeralPorts: Reported<number>;
      readonly notices: readonly string[];
    }
  /** It does not take part. The channel closes behind it. */
  | { readonly kind: 'refused'; readonly problem: AgentProblem }
  | { readonly kind: 'pong'; readonly id: number; readonly atNs: number }
  | { readonly kind: 'alive' }
  | { readonly kind: 'phase'; readonly phase: AgentPhase }
  /** A packed snapshot of this schema's own codec, its series with the counts of their histograms, so that they add. */
  | { readonly kind: 'live'; readonly snapshot: Uint8Array }
  /** What its load has told since the last such message: all there is of it until `untilNs`, but for what is on its way. */
  | {
      readonly kind: 'facts';
      /** Since the zero of its run. */
      readonly untilNs: number;
      /** Event batches, as wire/event-batch.ts has them; none where only ends are wanted. */
      readonly batches: readonly Uint8Array[];
      /** Whole lines of its sample file. */
      readonly lines: Uint8Array;
    }
  | { readonly kind: 'notice'; readonly text: string }
  | {
      readonly kind: 'ended';
      readonly state: 'complete' | 'interrupted' | 'incomplete';
      readonly runProblems: readonly string[];
      /** Like that of `live`; empty where the agent has none. */
      readonly snapshot: Uint8Array;
      /** Its own report.json: counts, outcomes and verdict of this agent alone. Empty where it has none. */
      readonly report: string;
      /** Of the sample file that `collect` brings. */
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

/** ends: lines of samples as they end; all: also when they were sent, and when their first content came. */
export type WantedFacts = (typeof WANTED_FACTS)[number];

export type AgentPhase = (typeof AGENT_PHASES)[number];

/** What an agent's own config allows; unknown: no cap. */
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

/** Parts of files are a fraction of it, live snapshots some 100 kB. Bounds in docs/limits.md. */
export const AGENT_MESSAGE_BYTES_MAX: number = 8 * 1024 * 1024;
/** Of one part of a data set or a sample file before compression: whoever inflates takes no more. */
export const AGENT_PART_BYTES_MAX: number = INPUT_LIMITS.agentPart.expandedBytesMax;
/** An agent that says nothing for so long has left the run. */
export const AGENT_SILENCE_MS_MAX = 5_000;
export const AGENT_ALIVE_MS = 1_000;
/**
 * From `prepare` until its load has ended an agent that hears nothing from the coordinator for so long ends it: nobody is left
 * to stop it. So a coordinator says something at least each COORDINATOR_PING_MS, a ping where there is nothing else to say.
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
