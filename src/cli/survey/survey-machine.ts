// The readings of one machine: its gatherers run on what has been captured until they request nothing more, and in the end on two captures,
// a second apart, of what they read repeatedly, so that shares and rates are figures too. That end is after the probes of links, which
// take minutes on many machines: what is shown is of one moment.

import type { Clock } from '../../clock/clock.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { READING_KINDS, statusFact } from '../../core/node/reading.ts';
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

interface MachineSurveyParts {
  readonly shell: RemoteShell;
  /** As uname prints it. */
  readonly system: string;
  readonly node: SurveyedNode;
  readonly plimsollVersion: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class MachineSurvey {
  readonly #parts: MachineSurveyParts;
  readonly #captured = new CapturedMachine();
  readonly #sources: () => readonly Gatherer[];
  readonly #sink: ReadingSink;
  #repeated: readonly RemoteRequest[] = [];
  #requests = 0;

  /** @throws SurveyError if the system is not known. */
  constructor(parts: MachineSurveyParts) {
    const { system, node, plimsollVersion, clock } = parts;
    const platform = PLATFORMS.get(system);
    if (platform === undefined)
      throw new SurveyError({
        code: 'survey',
        problem: `${node.name} runs ${system.slice(0, SYSTEM_LENGTH_MAX)}, which is not read`,
        advice: 'A survey reads Linux and macOS.',
      });
    this.#parts = parts;
    // Of what has read it: there is none on that machine.
    const access = this.#captured.access({ name: node.name, plimsollVersion: `survey ${plimsollVersion}` });
    this.#sources = () => platformSources(platform, access);
    this.#sink = new ReadingRecorder({ ...node, clock, onPublished: () => {} });
  }

  /** What a probe of links needs: all readings but those of tools that keep running. @throws SurveyError if the connection ends. */
  async prepare(): Promise<void> {
    this.#reportDaemonsOwn();
    await this.#complete();
    await gatherOnce(this.#sources(), this.#sink, step => step(0));
  }

  /** All readings as they are now. @throws SurveyError if the connection ends. */
  async finish(): Promise<void> {
    const { clock, signal } = this.#parts;
    await this.#capture([...this.#captured.all, ...this.#captured.streams]);
    await this.#complete();
    const firstAtMs = clock.nowMs();
    await this.#capture(this.#repeated);
    await gatherOnce(this.#sources(), this.#sink, async step => {
      await step(0);
      await clock.sleep(Math.max(0, firstAtMs + APART_MS - clock.nowMs()), signal);
      const nextAtMs = clock.nowMs();
      await this.#capture(this.#repeated);
      await step(nextAtMs - firstAtMs);
    });
  }

  /** What no gatherer reads: settings, engines. */
  #reportDaemonsOwn(): void {
    const gathered = new Set(this.#sources().flatMap(({ reports }) => reports.map(({ reading }) => reading)));
    for (const reading of READING_KINDS)
      if (!gathered.has(reading))
        this.#parts.node.record(
          statusFact({
            reading,
            vendor: 'none',
            source: 'survey',
            intervalMs: ONCE_MS,
            kind: 'absent',
            reason: 'a survey does not read it',
          }),
        );
  }

  /** Until gatherers request nothing that is not captured. */
  async #complete(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await gatherOnce(this.#sources(), NO_SINK, async step => {
        await step(0);
        this.#captured.takeRequested();
        await step(APART_MS);
        this.#repeated = this.#captured.takeRequested();
      });
      const missing = this.#captured.takeMissing();
      if (missing.length === 0) return;
      await this.#capture(missing);
    }
  }

  async #capture(wanted: readonly RemoteRequest[]): Promise<void> {
    const { shell, node } = this.#parts;
    this.#requests += wanted.length;
    if (this.#requests > REQUESTS_MAX)
      throw new SurveyError({
        code: 'survey',
        problem: `${node.name} has more files than a survey reads: ${REQUESTS_MAX} requests`,
        advice: 'Install Plimsoll there to read it.',
      });
    await Promise.all(
      wanted.map(async request => this.#captured.store(request, await shell.request(request))),
    );
  }
}

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
/** A day: it is never late. */
const ONCE_MS = 86_400_000;
/** More than the shortest interval of what is counted per second, ms. */
const APART_MS = 1_200;
/** Each request may depend on the reply to another: a folder, a link in it, a file behind that. */
const ROUNDS_MAX = 12;
const REQUESTS_MAX = 20_000;
const SYSTEM_LENGTH_MAX = 40;
