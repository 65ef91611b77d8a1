// A directory for one test, removed when the test ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory extends Disposable {
  readonly path: string;
}

export const temporaryDirectory = (): TemporaryDirectory => {
  const path = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};
