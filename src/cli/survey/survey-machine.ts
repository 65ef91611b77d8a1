// The readings of one machine: its gatherers run on what has been captured until they request nothing more, and then once more on two
// captures a second apart of what they read repeatedly, so that shares and rates are figures too.

import type { Clock } from '../../clock/clock.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { State } from '../../core/state.ts';
import { ReadingRecorder } from '../../daemon/own-readings.ts';
import type { ReadingSink } from '../../gather/arbitration.ts';
import type { Gatherer } from '../../gather/gatherer.ts';
import { platformSources } from '../../gather/platform-gatherers.ts';
import { runGatherers } from '../../gather/run-gatherers.ts';
import { CapturedMachine } from './captured-machine.ts';
import { type RemoteRequest, type RemoteShell, SurveyError } from './remote-shell.ts';
import { StepClock } from './step-clock.ts';

interface SurveyedNode {
  readonly nodeId: NodeId;
  readonly name: string;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
}

interface MachineSurvey {
  readonly shell: RemoteShell;
  /** As uname prints it. */
  readonly system: string;
  readonly node: SurveyedNode;
  readonly plimsollVersion: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** @throws SurveyError if the connection ends, or the system is not known. */
export const surveyMachine = async (survey: MachineSurvey): Promise<void> => {
  const { shell, system, node, plimsollVersion, clock, signal } = survey;
  const platform = PLATFORMS.get(system);
  if (platform === undefined)
    throw new SurveyError({
      code: 'survey',
      problem: `${node.name} runs ${system}, which is not read`,
      advice: 'A survey reads Linux and macOS.',
    });
  const captured = new CapturedMachine();
  const access = captured.access({ name: node.name, plimsollVersion });
  const sources = (): readonly Gatherer[] =>
    platformSources(platform, access).map(({ gatherer }) => gatherer);
  let requests = 0;
  const capture = async (wanted: readonly RemoteRequest[]): Promise<void> => {
    requests += wanted.length;
    if (requests > REQUESTS_MAX)
      throw new SurveyError({
        code: 'survey',
        problem: `${node.name} has more than ${REQUESTS_MAX} files to read`,
        advice: 'Install Plimsoll there to read it.',
      });
    await Promise.all(wanted.map(async request => captured.store(request, await shell.request(request))));
  };
  let repeated: readonly RemoteRequest[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await gatherOnce(sources(), NO_SINK, async step => {
      await step(0);
      captured.takeRequested();
      await step(APART_MS);
      repeated = captured.takeRequested();
    });
    const missing = captured.takeMissing();
    if (missing.length === 0) break;
    await capture(missing);
  }
  const firstAtMs = clock.nowMs();
  await capture(repeated);
  const sink = new ReadingRecorder({ ...node, clock, onPublished: () => {} });
  await gatherOnce(sources(), sink, async step => {
    await step(0);
    await clock.sleep(Math.max(0, firstAtMs + APART_MS - clock.nowMs()), signal);
    const nextAtMs = clock.nowMs();
    await capture(repeated);
    await step(nextAtMs - firstAtMs);
  });
};

/** Runs gatherers while `during` moves their clock. */
const gatherOnce = async (
  gatherers: readonly Gatherer[],
  sink: ReadingSink,
  during: (step: (durationMs: number) => Promise<void>) => Promise<void>,
): Promise<void> => {
  const clock = new StepClock();
  const ending = new AbortController();
  const run = runGatherers(gatherers, { clock, signal: ending.signal, sink });
  try {
    await during(durationMs => clock.advance(durationMs));
  } finally {
    ending.abort();
    await run;
  }
};

const NO_SINK: ReadingSink = { reading: () => {}, failure: () => {}, absence: () => {} };
const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ['Linux', 'linux'],
  ['Darwin', 'darwin'],
]);
/** More than the shortest interval of what is counted per second, ms. */
const APART_MS = 1_200;
/** Each request may depend on the reply to another: a folder, a link in it, a file behind that. */
const ROUNDS_MAX = 12;
const REQUESTS_MAX = 20_000;
