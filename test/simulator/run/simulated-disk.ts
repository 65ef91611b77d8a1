// The disk that samples.jsonl of a simulated run goes to: full from some moment on, and without its writer after a death.

import type { AppendedFile } from '../../../src/bench/run/samples-file.ts';

export class SimulatedDisk implements AppendedFile {
  lines = '';
  isFull = false;
  /** The writer was killed: nothing more is written. */
  isGone = false;

  async write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }> {
    if (this.isGone) return { bytesWritten: bytes.length };
    const fits = this.isFull ? Math.floor(bytes.length / 2) : bytes.length;
    this.lines += Buffer.from(bytes.subarray(0, fits)).toString();
    if (fits < bytes.length) throw Object.assign(new Error('simulated'), { code: 'ENOSPC' });
    return { bytesWritten: fits };
  }

  async datasync(): Promise<void> {}

  async close(): Promise<void> {}
}
