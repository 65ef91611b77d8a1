// A simulated cluster, sent to a recorder as the stream of a daemon.

import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, factKey } from '../../src/core/event-kinds.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import type { Anonymiser } from '../../src/recording/anonymiser.ts';
import { StreamRecorder } from '../../src/recording/record-stream.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { RecordingWriter } from '../../src/recording/recording-writer.ts';
import { type AgentReply, SimulatedWorld } from '../simulate/simulated-world.ts';

interface RecordedWorld {
  /** When the recording began, and at its end. */
  readonly first: State;
  readonly last: State;
  /** Of the world's clock. */
  readonly nowMs: number;
}

/** Some seconds before the recording, ten by default, then `seconds` of it, a batch a second. */
export const recordWorld = async (
  path: string,
  options: {
    readonly count?: number;
    readonly secondsBefore?: number;
    readonly seconds?: number;
    readonly anonymiser?: Anonymiser;
  } = {},
): Promise<RecordedWorld> => {
  const { count = 8, secondsBefore = 10, seconds = 20, anonymiser } = options;
  await using world = new SimulatedWorld(count);
  const numbering = new Map<string, number>();
  let reported = 0;
  const news = (): readonly Event[] => {
    const events = world.reported.slice(reported).map(reported => numbered(reported, numbering));
    reported = world.reported.length;
    return events;
  };
  await world.clock.advance(secondsBefore * 1_000);
  const first = applyAll(EMPTY_STATE, news());
  const [site] = world.simulation.wiring.sites;
  if (site === undefined) throw new Error('a world of nobody');
  await using writer = await RecordingWriter.create(path);
  const recorder = new StreamRecorder(writer, anonymiser);
  await recorder.snapshot({
    nodeId: site.nodeId,
    plimsollVersion: '0.0.0-test',
    nowMs: world.clock.nowMs(),
    state: first,
  });
  let last = first;
  for (let second = 0; second < seconds; second += 1) {
    await world.clock.advance(1_000);
    const events = news();
    last = applyAll(last, events);
    await recorder.batch({ nowMs: world.clock.nowMs(), events });
  }
  await recorder.end(world.clock.nowMs());
  return { first, last, nowMs: world.clock.nowMs() };
};

/** All its lines, as they are on disk before compression. */
export const recordingText = async (path: string): Promise<string> => {
  const lines: string[] = [];
  for await (const part of readRecording(path))
    if (part.kind === 'line') lines.push(JSON.stringify(part.line));
  return lines.join('\n');
};

const numbered = ({ node, fact, ageMs, atMs }: AgentReply, numbering: Map<string, number>): Event => {
  const kindClass = eventClass(fact.kind);
  const seq = (numbering.get(node + kindClass) ?? 0) + 1;
  numbering.set(node + kindClass, seq);
  const head = {
    origin: node,
    epoch: 3,
    class: kindClass,
    seq,
    key: factKey(fact),
    ageMs,
    receivedAtMs: atMs,
  };
  return { ...head, ...fact };
};
