// The processors that this process may run on, by number: in a container they need not begin at 0.

import { readFile } from 'node:fs/promises';

/** Empty where the system does not tell. */
export const allowedProcessors = async (path = '/proc/self/status'): Promise<readonly number[]> => {
  try {
    const [, list] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(await readFile(path, 'utf8')) ?? [];
    return list === undefined ? [] : processorsOf(list);
  } catch {
    return [];
  }
};

/** "0-3,8" */
export const processorsOf = (list: string): readonly number[] => {
  const processors: number[] = [];
  for (const part of list.split(',')) {
    const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    if (first === undefined) return [];
    for (let number = Number(first); number <= Number(last ?? first); number += 1) {
      if (processors.length >= PROCESSORS_MAX) return processors;
      processors.push(number);
    }
  }
  return processors;
};

const PROCESSORS_MAX = 8_192;
