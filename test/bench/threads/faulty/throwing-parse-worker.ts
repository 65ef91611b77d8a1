// A parse thread that throws in the middle of a run.

import { afterStart } from './after-start.ts';
import '../../../../src/bench/parse/parse-worker.ts';

afterStart(() => {
  throw new Error('a bug in the parse thread');
});
