// What a version of the formats wrote, as test/fixtures/versions has it.

import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { isJsonObject } from '../../src/core/json.ts';
import type { EventClass } from '../../src/core/kind-row.ts';
import { NOT_REPORTED } from '../../src/core/schema.ts';

/** Of the formats. */
const PINNED_VERSION = '1';

/** Whose home it is. */
export const PINNED_NODE: NodeId = nodeId('72asyextvngonlc5w2nmguxzay');

export interface PinnedFact {
  readonly kind: string;
  readonly class: EventClass;
  readonly key: string;
  readonly payload: unknown;
}

/** The path of one of its files. */
export const pinnedPath = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/versions/${PINNED_VERSION}/${name}`, import.meta.url));

/** Its home, as private as it was written: git keeps no such modes. */
export const copyPinnedHome = (path: string): void => {
  cpSync(pinnedPath('home'), path, { recursive: true });
  chmodSync(join(path, 'node-key.pem'), 0o600);
};

export const pinnedText = (name: string): string => readFileSync(pinnedPath(name), 'utf8');

/** What it wrote, plus the fields that it did not have yet and that `read` has as not reported. No other field is added. */
export const withUnreported = (written: unknown, read: unknown): unknown => {
  if (Array.isArray(written) && Array.isArray(read))
    return written.map((one, index) => withUnreported(one, read[index]));
  if (!isJsonObject(written) || !isJsonObject(read)) return written;
  const known = Object.entries(written).map(([name, one]) => [
    name,
    Object.hasOwn(read, name) ? withUnreported(one, read[name]) : one,
  ]);
  const unreported = Object.entries(read).filter(
    ([name, one]) => !Object.hasOwn(written, name) && isDeepStrictEqual(one, NOT_REPORTED),
  );
  return Object.fromEntries([...known, ...unreported]);
};

/** Whether one of those read is what it wrote. */
export const holds = (read: readonly unknown[], written: unknown): boolean =>
  read.some(one => isDeepStrictEqual(one, withUnreported(written, one)));

/** One fact of every kind and shape, in the order in which it recorded them. */
export const pinnedFacts = (): readonly PinnedFact[] => JSON.parse(pinnedText('facts.json'));
