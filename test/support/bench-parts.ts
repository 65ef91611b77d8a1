// Which parts of src/bench a part may import, as ARCHITECTURE.md has it.

export const BENCH_PARTS: Readonly<Record<string, readonly string[]>> = {
  arena: [],
  loop: [],
  schedule: [],
  dataset: [],
  target: ['arena', 'loop', 'schedule', 'dataset'],
  capture: ['arena', 'dataset', 'target'],
  replay: ['arena', 'schedule', 'dataset', 'target'],
  load: ['arena', 'loop', 'schedule', 'target', 'replay'],
  parse: ['arena', 'schedule', 'target'],
  threads: ['arena', 'target', 'replay', 'load', 'parse'],
  tokenizer: ['target'],
  run: ['schedule', 'dataset', 'target', 'replay', 'load', 'threads', 'tokenizer'],
  fleet: ['schedule', 'dataset', 'target', 'load', 'threads', 'run'],
  agent: ['dataset', 'target', 'run', 'fleet'],
  announce: ['run'],
  line: [],
  compare: ['target', 'run', 'sweep'],
  sweep: ['target', 'load', 'threads', 'run', 'fleet', 'line'],
};
