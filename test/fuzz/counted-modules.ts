// Loads this program's modules so that they count their branches. For a thread that imports its target afterwards.

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { COUNTERS, instrument } from './instrument.ts';

/** A branch: where it is in the source. */
interface Branch {
  /** From `src/` on. */
  readonly file: string;
  readonly line: number;
}

interface CountedModules {
  /** How often each branch was taken, modulo 256; set to zero by its reader. */
  readonly counters: Uint8Array;
  /** Of what has been loaded, in the order of their counters. */
  readonly branches: readonly Branch[];
  wordsOf(covers: readonly string[]): readonly Uint8Array[];
}

export const countModules = (): CountedModules => {
  const counters = new Uint8Array(BRANCHES_MOST);
  Reflect.set(globalThis, COUNTERS, counters);
  const root = new URL('../../', import.meta.url).href;
  const branches: Branch[] = [];
  const words = new Map<string, readonly string[]>();
  registerHooks({
    load: (url, context, nextLoad) => {
      const file = url.startsWith(`${root}src/`) ? url.slice(root.length) : undefined;
      if (file === undefined || !file.endsWith('.ts')) return nextLoad(url, context);
      const made = instrument(readFileSync(fileURLToPath(url), 'utf8'), file, branches.length);
      for (const line of made.lines) branches.push({ file, line });
      if (branches.length > BRANCHES_MOST) throw new Error(`more than ${BRANCHES_MOST} branches`);
      words.set(file, made.words);
      return { format: 'module', source: made.code, shortCircuit: true };
    },
  });
  return {
    counters,
    branches,
    wordsOf: covers => {
      const own = [...words].filter(([file]) => isCovered(file, covers)).flatMap(([, list]) => list);
      return [...new Set(own)].map(word => new TextEncoder().encode(word));
    },
  };
};

export const isCovered = (file: string, covers: readonly string[]): boolean =>
  covers.some(folder => file === folder || file.startsWith(`${folder}/`));

/** All of src has about 60,000. */
const BRANCHES_MOST = 131_072;
