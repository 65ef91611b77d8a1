// A machine's files beneath a folder: "/" is this machine, a temporary folder is a fixture. Plain system calls with a
// limit instead of readFile: procfs files report size 0, and some are read twice a second.

import fs from 'node:fs';
import { promisify } from 'node:util';
import {
  type FileText,
  isUnreadable,
  type KeptFile,
  type MachineFiles,
  type Unreadable,
  unreadable,
} from './machine-files.ts';

export const directoryFiles = (root: string): MachineFiles => {
  const locate = (path: string): string => (root === '/' ? path : root + path);
  return {
    textNow: path => attempt(path, () => readAllNow(locate(path))),
    text: async path => {
      try {
        return await readAll(locate(path));
      } catch (error) {
        return unreadable(codeOf(error), path);
      }
    },
    namesNow: path => attempt(path, () => fs.readdirSync(locate(path))),
    linkNow: path => attempt(path, () => fs.readlinkSync(locate(path))),
    keepOpen: path => new OpenFile(path, locate(path)),
  };
};

/** Opened on first use, and again after a failed read: a driver may be reloaded under it. */
class OpenFile implements KeptFile {
  readonly #path: string;
  readonly #location: string;
  #descriptor: number | undefined;
  #buffer: Buffer | undefined;
  #isDisposed = false;
  #readsInFlight = 0;

  constructor(path: string, location: string) {
    this.#path = path;
    this.#location = location;
  }

  readNow(): FileText {
    const text = attempt(this.#path, () => {
      const [descriptor, buffer] = this.#open();
      return buffer.toString('utf8', 0, fs.readSync(descriptor, buffer, 0, buffer.length, 0));
    });
    if (isUnreadable(text)) this.#close();
    return text;
  }

  async read(): Promise<FileText> {
    this.#readsInFlight += 1;
    try {
      const [descriptor] = this.#open();
      const buffer = Buffer.alloc(SENSOR_BYTES_MAX);
      const { bytesRead } = await readAt(descriptor, buffer, 0, buffer.length, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } catch (error) {
      if (this.#readsInFlight === 1) this.#close();
      return unreadable(codeOf(error), this.#path);
    } finally {
      this.#readsInFlight -= 1;
      if (this.#isDisposed) this.#close();
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#close();
  }

  #open(): [number, Buffer] {
    this.#descriptor ??= fs.openSync(this.#location, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    this.#buffer ??= Buffer.alloc(KEPT_BYTES_MAX);
    return [this.#descriptor, this.#buffer];
  }

  /** Never under a read that is still in flight: its descriptor's number could be another file's by then. */
  #close(): void {
    if (this.#descriptor === undefined || (this.#isDisposed && this.#readsInFlight > 0)) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    attempt(this.#path, () => fs.closeSync(descriptor));
  }
}

const attempt = <T>(path: string, action: () => T): T | Unreadable => {
  try {
    return action();
  } catch (error) {
    return unreadable(codeOf(error), path);
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';

const readAllNow = (location: string): string => {
  // Without O_NONBLOCK a FIFO in place of a file would block the whole process.
  const descriptor = fs.openSync(location, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes < TEXT_BYTES_MAX; ) {
      const chunk = Buffer.alloc(bytes === 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES);
      const count = fs.readSync(descriptor, chunk, 0, chunk.length, null);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      bytes += count;
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    fs.closeSync(descriptor);
  }
};

const readAll = async (location: string): Promise<string> => {
  const descriptor = await openFile(location, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes < TEXT_BYTES_MAX; ) {
      const chunk = Buffer.alloc(bytes === 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES);
      const { bytesRead } = await readAt(descriptor, chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await closeFile(descriptor);
  }
};

const openFile = promisify(fs.open);
const readAt = promisify(fs.read);
const closeFile = promisify(fs.close);

/** /proc/cpuinfo of 512 processors is about 1 MB. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;
const FIRST_CHUNK_BYTES = 4 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** /proc/stat needs 64 bytes a processor before its interrupt line. */
const KEPT_BYTES_MAX = 64 * 1024;
const SENSOR_BYTES_MAX = 256;
