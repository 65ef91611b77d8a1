// A capture: the proxy that passes traffic on, and the thread that records it into a folder.

import { mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '../../clock/system-clock.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import { errorCode } from '../../core/problem.ts';
import { makeMissingFolder } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { BenchError } from '../bench-error.ts';
import type { BenchTarget } from '../target/target-url.ts';
import { type ProxyFigures, ReverseProxy } from './reverse-proxy.ts';
import { Tap } from './tap.ts';
import type { RecordedFigures, RecorderOptions } from './tap-message.ts';

export interface CaptureOptions extends RecorderOptions {
  readonly target: BenchTarget;
  readonly listen: HostPort;
  readonly sessionHeader: string | undefined;
}

export interface CaptureFigures {
  readonly proxy: ProxyFigures;
  /** undefined: the recorder has not reported yet. */
  readonly recorded: RecordedFigures | undefined;
}

export class Capture {
  readonly #proxy: ReverseProxy;
  readonly #tap: Tap;
  #stopped: Promise<void> | undefined;

  private constructor(proxy: ReverseProxy, tap: Tap) {
    this.#proxy = proxy;
    this.#tap = tap;
  }

  /**
   * @param options a folder that is new or empty
   * @throws BenchError `run-directory` for the folder, `failed` for the address
   */
  static async start(options: CaptureOptions): Promise<Capture> {
    await prepareFolder(options.folder);
    const { folder, fileBytesMax, totalBytesMax, keepsText } = options;
    const tap = new Tap({ folder, fileBytesMax, totalBytesMax, keepsText });
    const problem = await tap.ready;
    if (problem !== undefined) {
      await tap.stop();
      throw cannotWrite(folder, problem);
    }
    try {
      return new Capture(await ReverseProxy.listen({ ...options, tap, clock: systemClock }), tap);
    } catch (error) {
      await tap.stop();
      throw error;
    }
  }

  get port(): number {
    return this.#proxy.port;
  }

  get figures(): CaptureFigures {
    return { proxy: this.#proxy.figures, recorded: this.#tap.figures };
  }

  /** Lets the requests in flight end until the signal aborts. */
  async stop(cut: AbortSignal): Promise<CaptureFigures> {
    this.#stopped ??= this.#proxy.stop(cut).then(() => this.#tap.stop());
    await this.#stopped;
    return this.figures;
  }
}

const prepareFolder = async (folder: string): Promise<void> => {
  try {
    await makeMissingFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw cannotWrite(folder, diskReason(error), error);
    const names = await readdir(folder).catch((cause: unknown) => {
      throw cannotWrite(folder, diskReason(cause), cause);
    });
    if (names.length > 0)
      throw new BenchError({
        code: 'run-directory',
        problem: `${folder} is not empty`,
        advice: 'Choose a new folder: a capture is never added to another.',
      });
  }
};

const cannotWrite = (folder: string, reason: string, cause?: unknown): BenchError =>
  new BenchError(
    {
      code: 'run-directory',
      problem: `the capture cannot be written to ${folder}: ${reason}`,
      advice: 'Choose a folder on a disk with free space: --out DIR.',
    },
    { cause },
  );
