// How far each publisher of the fleet was heard, kept in the home: after a restart of this node a message that was heard
// before is still refused. What was heard in the last seconds before a crash may be repeated once.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/until-aborted.ts';
import type { NodeId } from '../../core/ids.ts';
import type { HeardFloor } from '../../mesh/nats/replay-guard.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { nodeIdSchema } from '../../wire/schema.ts';

/** None where the file is missing or damaged: then everything is new once. */
export const readHeardFloors = async (home: string): Promise<readonly (readonly [NodeId, HeardFloor])[]> => {
  try {
    const parsed = v.safeParse(HEARD, JSON.parse(await readFile(join(home, HEARD_FILE), 'utf8')));
    return parsed.success ? parsed.output.heard : [];
  } catch {
    return []; // not there, or cut off by another program
  }
};

/** Writes while it changes, until the abort, and then once more. */
export const keepHeardFloors = async (
  home: string,
  floors: () => ReadonlyMap<NodeId, HeardFloor>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> => {
  let written = '';
  const write = async (): Promise<void> => {
    const text = JSON.stringify({ version: 1, heard: [...floors()] });
    if (text === written) return;
    written = text;
    // A disk that is full is told by the journal; the next try follows.
    await writeFileAtomic(join(home, HEARD_FILE), text).catch(() => {
      written = '';
    });
  };
  while (!signal.aborted) {
    await pause(clock, HEARD_WRITE_MS, signal);
    await write();
  }
};

const HEARD_FILE = 'fleet-heard.json';
const HEARD_WRITE_MS = 10_000;
const HEARD = v.object({
  version: v.literal(1),
  heard: v.array(
    v.tuple([nodeIdSchema, v.object({ start: v.number(), salt: v.string(), count: v.number() })]),
  ),
});
