// A command that waits for a reading which nothing can abort, as of a network file system that hangs: here a named pipe.

import { readFile } from 'node:fs/promises';
import { readProcessState, SAME_REQUEST_MS } from '../../src/cli/process-state.ts';

const state = readProcessState();
void readFile(state.args[0] ?? '');
state.stop.addEventListener('abort', () => setTimeout(() => console.log('asked'), SAME_REQUEST_MS + 1));
console.log('reading');
