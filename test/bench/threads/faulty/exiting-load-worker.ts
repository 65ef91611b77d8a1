// A load thread that calls exit in the middle of a run.

import { afterStart } from './after-start.ts';
import '../../../../src/bench/load/load-worker.ts';

afterStart(() => process.exit(7));
