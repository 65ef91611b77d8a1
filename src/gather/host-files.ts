// The files of a machine seen from a container: its own /proc and /sys first, which know the container, and behind them those of
// the machine, mounted elsewhere. A runtime covers some of its own, such as /sys/firmware, in which Arm machines have their model.

import { type FileText, isUnreadable, type KeptFile, type MachineFiles } from './machine-files.ts';

/** `behind`: the machine's tree. Only what is the same for every process is asked of it. */
export const filesBefore = (own: MachineFiles, behind: MachineFiles): MachineFiles => {
  const otherwise = <T>(path: string, read: (files: MachineFiles, path: string) => T): T => {
    const first = read(own, path);
    if (!isUnreadable(first) || !isOfMachine(path)) return first;
    const second = read(behind, elsewhere(path));
    return isUnreadable(second) ? first : second;
  };
  return {
    textNow: path => otherwise(path, (files, at) => files.textNow(at)),
    text: async path => {
      const first = await own.text(path);
      if (!isUnreadable(first) || !isOfMachine(path)) return first;
      const second = await behind.text(elsewhere(path));
      return isUnreadable(second) ? first : second;
    },
    namesNow: path => otherwise(path, (files, at) => files.namesNow(at)),
    linkNow: path => otherwise(path, (files, at) => files.linkNow(at)),
    keepOpen: path =>
      isOfMachine(path)
        ? new EitherFile(own.keepOpen(path), behind.keepOpen(elsewhere(path)))
        : own.keepOpen(path),
  };
};

class EitherFile implements KeptFile {
  readonly #own: KeptFile;
  readonly #behind: KeptFile;

  constructor(own: KeptFile, behind: KeptFile) {
    this.#own = own;
    this.#behind = behind;
  }

  readNow(): FileText {
    const first = this.#own.readNow();
    if (!isUnreadable(first)) return first;
    const second = this.#behind.readNow();
    return isUnreadable(second) ? first : second;
  }

  async read(): Promise<FileText> {
    const first = await this.#own.read();
    if (!isUnreadable(first)) return first;
    const second = await this.#behind.read();
    return isUnreadable(second) ? first : second;
  }

  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]();
    this.#behind[Symbol.dispose]();
  }
}

/** Not what a process has of its own: its limits and mounts, which would be another's. */
const isOfMachine = (path: string): boolean =>
  (path.startsWith('/proc/') && !/^\/proc\/(?:self|thread-self|mounts|net)\b/.test(path)) ||
  (path.startsWith('/sys/') && !path.startsWith('/sys/fs/cgroup'));

/** A link with an absolute target, which would lead back into the container's own tree. */
const elsewhere = (path: string): string =>
  path.startsWith('/proc/device-tree/')
    ? path.replace('/proc/device-tree/', '/sys/firmware/devicetree/base/')
    : path;
