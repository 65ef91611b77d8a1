// A load thread that throws in the middle of a run.

import { afterStart } from './after-start.ts';
import '../../../../src/bench/load/load-worker.ts';

afterStart(() => {
  throw new Error('a bug in the load thread');
});
