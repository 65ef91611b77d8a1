// The memory limit of this process's control group, read with every memory reading. Which groups limit it is looked up
// again now and then, because an administrator may set a limit while the daemon runs.

import type { ContainerMemory } from '../../core/node/memory.ts';
import { unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type KeptFile, type MachineFiles, textOr } from '../machine-files.ts';
import { parseMountinfo } from '../mountinfo/parse-mountinfo.ts';
import {
  controlGroupFiles,
  controlGroupFolders,
  parseInactiveFileBytes,
  parseMemoryLimit,
} from './control-group.ts';

export class ContainerMemorySource implements Disposable {
  readonly #files: MachineFiles;
  readonly #readsBetweenLookUps: number;
  #readsUntilLookUp = 0;
  #bound: Bound | undefined;

  constructor(files: MachineFiles, readsBetweenLookUps: number) {
    this.#files = files;
    this.#readsBetweenLookUps = readsBetweenLookUps;
  }

  readNow(hostTotalBytes: number): ContainerMemory {
    if (this.#readsUntilLookUp === 0) {
      this.#lookUp();
      this.#readsUntilLookUp = this.#readsBetweenLookUps;
    }
    this.#readsUntilLookUp -= 1;
    const bound = this.#bound;
    if (bound === undefined || bound.limitBytes >= hostTotalBytes) return { kind: 'none' };
    const text = bound.used.readNow();
    const usedBytes = digitsIn(textOr(text, undefined));
    if (usedBytes === undefined) {
      const reason = isUnreadable(text) ? text.reason : 'not a number';
      return { kind: 'limited', limitBytes: bound.limitBytes, usedBytes: unknown(reason) };
    }
    const inactiveFileBytes = parseInactiveFileBytes(textOr(bound.stat.readNow(), ''));
    return {
      kind: 'limited',
      limitBytes: bound.limitBytes,
      usedBytes: Math.max(0, usedBytes - inactiveFileBytes),
    };
  }

  [Symbol.dispose](): void {
    this.#bound?.used[Symbol.dispose]();
    this.#bound?.stat[Symbol.dispose]();
    this.#bound = undefined;
  }

  /** The tightest limit; of equal ones that of the group nearest to this process, whose usage fills it. */
  #lookUp(): void {
    this[Symbol.dispose]();
    const selfCgroup = textOr(this.#files.textNow('/proc/self/cgroup'), '');
    const mounts = parseMountinfo(textOr(this.#files.textNow('/proc/self/mountinfo'), ''));
    let tightest: { readonly limitBytes: number; readonly used: string; readonly stat: string } | undefined;
    for (const folder of controlGroupFolders(selfCgroup, mounts)) {
      const { limit, used, stat } = controlGroupFiles(folder);
      const limitBytes = parseMemoryLimit(textOr(this.#files.textNow(limit), 'max'));
      if (limitBytes === undefined || limitBytes >= (tightest?.limitBytes ?? Number.POSITIVE_INFINITY))
        continue;
      tightest = { limitBytes, used, stat };
    }
    if (tightest === undefined) return;
    this.#bound = {
      limitBytes: tightest.limitBytes,
      used: this.#files.keepOpen(tightest.used),
      stat: this.#files.keepOpen(tightest.stat),
    };
  }
}

interface Bound {
  readonly limitBytes: number;
  readonly used: KeptFile;
  readonly stat: KeptFile;
}
