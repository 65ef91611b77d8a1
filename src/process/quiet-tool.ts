// Tools that may print nothing for days: they would not notice by themselves that their reader is gone, and each kill -9 would leave one.

import { type StreamLinesOptions, streamLines } from './child.ts';

/**
 * The lines of a tool that only prints on a change. @throws as `streamLines`; a missing tool exits with
 * NOT_FOUND.
 */
export const quietLines = (
  command: readonly string[],
  options: Omit<StreamLinesOptions, 'idleTimeoutMs' | 'input'>,
): AsyncGenerator<string, void, void> =>
  streamLines('sh', ['-c', END_WITH_US, 'sh', ...command], {
    ...options,
    idleTimeoutMs: Number.POSITIVE_INFINITY,
    input: '',
  });

/** Exit code of a shell if there is no such command (POSIX). */
export const NOT_FOUND = 127;

/**
 * Replaces itself by the tool, with a reader of our end of the pipe that ends the tool when this process is
 * gone.
 */
const END_WITH_US = `exec 3<&0 </dev/null
{ read -r _ <&3; kill $$; } >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;
