// What system_profiler, sw_vers and scutil print about a Mac's identity. Run from a process that Rosetta translates,
// system_profiler names no chip; in a virtual machine its numbers are numbers instead of texts.

import { looseJson, looseList, looseRecord, looseRecords, looseText, looseWhole } from '../loose-json.ts';
import { answered, type ToolAnswer, toolLines, unanswered } from '../tool-output.ts';

export interface MacHardware {
  /** "Mac Studio" */
  readonly modelName: string | undefined;
  /** "Mac15,14" */
  readonly modelIdentifier: string | undefined;
  /** "Apple M3 Ultra" */
  readonly chip: string | undefined;
  readonly processorCount: number | undefined;
}

/** `system_profiler SPHardwareDataType -json`: the common names of a Mac. */
export const parseHardware = (text: string): ToolAnswer<MacHardware> => {
  const record = looseRecord(looseList(looseRecord(looseJson(text))?.['SPHardwareDataType'])?.[0]);
  if (record === undefined) return unanswered('system_profiler printed no hardware overview');
  return answered({
    modelName: looseText(record['machine_name']),
    modelIdentifier: looseText(record['machine_model']),
    chip: looseText(record['chip_type']),
    processorCount: processorCountIn(record['number_processors']),
  });
};

export interface MacGpu {
  readonly name: string | undefined;
  readonly coreCount: number | undefined;
  /** "Metal 4" */
  readonly metal: string | undefined;
}

/** `system_profiler SPDisplaysDataType -json`: the GPU of the chip itself, which is the entry by Apple. */
export const parseDisplays = (text: string): ToolAnswer<MacGpu> => {
  const list = looseList(looseRecord(looseJson(text))?.['SPDisplaysDataType']);
  if (list === undefined) return unanswered('system_profiler printed no list of GPUs');
  const records = looseRecords(list);
  const gpu =
    records.find(record => /apple/i.test(looseText(record['spdisplays_vendor']) ?? '')) ?? records[0];
  if (gpu === undefined) return unanswered('system_profiler lists no GPU');
  const metal = /^spdisplays_metal(\d{1,2})$/.exec(
    looseText(gpu['spdisplays_mtlgpufamilysupport']) ?? '',
  )?.[1];
  const cores = looseWhole(gpu['sppci_cores']);
  return answered({
    name: looseText(gpu['sppci_model']),
    coreCount: cores === 0 ? undefined : cores,
    metal: metal === undefined ? undefined : `Metal ${metal}`,
  });
};

/** "proc 18:6:0:12": only the first figure, the total, means the same everywhere. */
const processorCountIn = (value: unknown): number | undefined => {
  const total = typeof value === 'string' ? /^(?:proc )?(\d{1,4})\b/.exec(value)?.[1] : value;
  const count = looseWhole(total);
  return count === 0 ? undefined : count;
};

export interface MacosVersion {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly build: string | undefined;
}

/** `sw_vers`: "ProductName:<tabs>macOS" lines. A background security update adds ProductVersionExtra, "(a)". */
export const parseSwVers = (text: string): MacosVersion => {
  const values = new Map<string, string>();
  for (const line of toolLines(text)) {
    const match = /^([A-Za-z]{1,40}):\s*(\S.{0,100}?)\s*$/.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined) values.set(match[1], match[2]);
  }
  const version = values.get('ProductVersion');
  const extra = values.get('ProductVersionExtra');
  return {
    name: values.get('ProductName'),
    version: version !== undefined && extra !== undefined ? `${version} ${extra}` : version,
    build: values.get('BuildVersion'),
  };
};

/**
 * `scutil --get ComputerName` prints the name on one line; without one it prints "ComputerName: not set" on stderr and
 * exits 1. The name may hold any character, U+2019 among them.
 */
export const parseComputerName = (text: string): string | undefined => {
  const name = text.split('\n')[0]?.trim() ?? '';
  return name === '' || /^(Computer|LocalHost|Host)Name: not set$/.test(name)
    ? undefined
    : name.slice(0, NAME_LENGTH_MAX);
};

const NAME_LENGTH_MAX = 200;
