// The position up to which each publisher of the fleet was received, stored in the home: after a restart of this node a message
// that was already received is still refused. Messages of the last seconds before a crash may be repeated once.

import { join } from 'node:path';
import * as v from 'valibot';
import { type Clock, pause } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import { errorCode } from '../../core/problem.ts';
import { nodeIdSchema } from '../../core/schema.ts';
import type { SequenceFloor } from '../../mesh/nats/replay-guard.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { readInputText } from '../../process/input-file.ts';
import type { Notices } from '../notices.ts';

/** None where the file is missing or damaged: then everything is new once. */
export const readSequenceFloors = async (
  home: string,
): Promise<readonly (readonly [NodeId, SequenceFloor])[]> => {
  try {
    const parsed = v.safeParse(SEEN, JSON.parse(await readInputText(join(home, FLOORS_FILE), 'homeFile')));
    return parsed.success ? parsed.output.received : [];
  } catch {
    return []; // not there, or cut off by another program
  }
};

/** Writes while it changes, until the abort, and then once more. */
export const storeSequenceFloors = async (
  home: string,
  floors: () => ReadonlyMap<NodeId, SequenceFloor>,
  {
    clock,
    notices,
    signal,
  }: { readonly clock: Clock; readonly notices: Notices; readonly signal: AbortSignal },
): Promise<void> => {
  let written = '';
  const write = async (): Promise<void> => {
    const text = JSON.stringify({ version: 1, received: [...floors()] });
    if (text === written) return;
    try {
      await writeFileAtomic(join(home, FLOORS_FILE), text);
      written = text;
      notices.clear(NOTICE.id);
    } catch (error) {
      const cause = errorCode(error);
      if (cause === undefined) throw error;
      notices.raise({
        ...NOTICE,
        cause,
        problem: `${join(home, FLOORS_FILE)} cannot be written (${cause}): after a restart, repeated messages of the fleet could be accepted as new.`,
        advice: 'Free space on its disk, or let the daemon write to its home; it retries every few seconds.',
      });
    }
  };
  while (!signal.aborted) {
    await pause(clock, FLOORS_WRITE_MS, signal);
    await write();
  }
};

const NOTICE = { id: 'fleet heard', code: 'fleet-heard-unwritten' } as const;
const FLOORS_FILE = 'fleet-heard.json';
const FLOORS_WRITE_MS = 10_000;
const SEEN = v.object({
  version: v.literal(1),
  received: v.array(
    v.tuple([nodeIdSchema, v.object({ start: v.number(), salt: v.string(), count: v.number() })]),
  ),
});
