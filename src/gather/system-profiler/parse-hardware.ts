// `system_profiler SPHardwareDataType -json` and SPDisplaysDataType: the names a person knows a Mac by. Asked from a
// process that Rosetta translates it has no chip; in a virtual machine its numbers are numbers instead of texts.

import { listIn, looseJson, recordIn, recordsIn, textIn, wholeIn } from '../loose-json.ts';
import { type Parsed, parsed, unreadable } from '../parsed.ts';

export interface MacHardware {
  /** "Mac Studio" */
  readonly modelName: string | undefined;
  /** "Mac15,14" */
  readonly modelIdentifier: string | undefined;
  /** "Apple M3 Ultra" */
  readonly chip: string | undefined;
  readonly processorCount: number | undefined;
}

export const parseHardware = (text: string): Parsed<MacHardware> => {
  const record = recordIn(listIn(recordIn(looseJson(text))?.['SPHardwareDataType'])?.[0]);
  if (record === undefined) return unreadable('system_profiler printed no hardware overview');
  return parsed({
    modelName: textIn(record['machine_name']),
    modelIdentifier: textIn(record['machine_model']),
    chip: textIn(record['chip_type']),
    processorCount: processorCountIn(record['number_processors']),
  });
};

export interface MacGpu {
  readonly name: string | undefined;
  readonly coreCount: number | undefined;
  /** "Metal 4" */
  readonly metal: string | undefined;
}

/** The GPU of the chip itself: the entry that Apple made. */
export const parseDisplays = (text: string): Parsed<MacGpu> => {
  const list = listIn(recordIn(looseJson(text))?.['SPDisplaysDataType']);
  if (list === undefined) return unreadable('system_profiler printed no list of GPUs');
  const records = recordsIn(list);
  const gpu = records.find(record => /apple/i.test(textIn(record['spdisplays_vendor']) ?? '')) ?? records[0];
  if (gpu === undefined) return unreadable('system_profiler lists no GPU');
  const metal = /^spdisplays_metal(\d{1,2})$/.exec(textIn(gpu['spdisplays_mtlgpufamilysupport']) ?? '')?.[1];
  const cores = wholeIn(gpu['sppci_cores']);
  return parsed({
    name: textIn(gpu['sppci_model']),
    coreCount: cores === 0 ? undefined : cores,
    metal: metal === undefined ? undefined : `Metal ${metal}`,
  });
};

/** "proc 18:6:0:12": only the first figure, the total, means the same everywhere. */
const processorCountIn = (value: unknown): number | undefined => {
  const total = typeof value === 'string' ? /^(?:proc )?(\d{1,4})\b/.exec(value)?.[1] : value;
  const count = wholeIn(total);
  return count === 0 ? undefined : count;
};
