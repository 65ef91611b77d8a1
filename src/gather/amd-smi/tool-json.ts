// Walks JSON of AMD's tools without trusting its shape: instead of an object there may be a text, and a figure may be
// 5, "5", "5.0", {"value": 5, "unit": "W"} or "N/A".

import { isJsonObject } from '../../core/json.ts';
import { pushAll } from '../../core/push-all.ts';

/**
 * What amd-smi or rocm-smi report about a card beyond sysfs. Every key may be missing, and "N/A" may replace any
 * number, text, object or list.
 */
export interface AmdToolDevice {
  /** PCI address, lower case: joins with sysfs. */
  readonly address: string | undefined;
  readonly name: string | undefined;
  readonly architecture: string | undefined;
  readonly computeUnits: number | undefined;
  readonly powerLimitWatts: number | undefined;
  readonly memoryTotalBytes: number | undefined;
  readonly computePartition: string | undefined;
  /** True for the entries that amd-smi lists for the further parts of one card. */
  readonly isPartition: boolean;
}

/** JSON documents in a text that may have other lines before, between and after them. */
export const jsonDocuments = (text: string): readonly unknown[] => {
  const splitter = new JsonSplitter();
  const documents: unknown[] = [];
  for (const line of text.split('\n')) pushAll(documents, splitter.add(line));
  return documents;
};

/** Assembles documents from lines. What does not parse is skipped. */
export class JsonSplitter {
  #lines: string[] = [];
  #length = 0;
  #depth = 0;
  #isInText = false;

  /** The documents that end on this line. */
  add(line: string): readonly unknown[] {
    if (this.#lines.length === 0 && !/^\s*[[{]/.test(line)) return [];
    this.#lines.push(line);
    this.#length += line.length;
    this.#count(line);
    if (this.#depth > 0 && this.#length <= DOCUMENT_LENGTH_MAX) return [];
    const text = this.#lines.join('\n');
    this.#reset();
    try {
      const document: unknown = JSON.parse(text);
      return [document];
    } catch {
      return []; // a banner in brackets, or a document cut off: the next one may be whole
    }
  }

  #count(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      const letter = line[at];
      if (this.#isInText) {
        if (letter === '\\') at += 1;
        else if (letter === '"') this.#isInText = false;
      } else if (letter === '"') this.#isInText = true;
      else if (letter === '{' || letter === '[') this.#depth += 1;
      else if (letter === '}' || letter === ']') this.#depth -= 1;
    }
  }

  #reset(): void {
    this.#lines = [];
    this.#length = 0;
    this.#depth = 0;
    this.#isInText = false;
  }
}

/** Follows keys downwards; undefined as soon as something on the way is not an object. */
export const valueAt = (json: unknown, ...keys: readonly string[]): unknown => {
  let found = json;
  for (const key of keys) found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
};

/** Undefined for "N/A", blanks and anything but text. */
export const amdText = (json: unknown): string | undefined => {
  if (typeof json !== 'string') return undefined;
  const trimmed = json.trim();
  return trimmed === '' || /^n\/?a\b/i.test(trimmed) ? undefined : trimmed.slice(0, 200);
};

/** A figure with or without its unit around it. */
export const amdFigure = (json: unknown): number | undefined => {
  if (typeof json === 'number') return Math.abs(json) <= FIGURE_MAX ? json : undefined;
  if (typeof json === 'string')
    return /^-?\d{1,15}(\.\d{1,12})?$/.test(json.trim()) ? Number(json) : undefined;
  const value = valueAt(json, 'value');
  return typeof value === 'number' || typeof value === 'string' ? amdFigure(value) : undefined;
};

/** Past any size in bytes, and exact in a number. */
const FIGURE_MAX = 1e15;
const DOCUMENT_LENGTH_MAX = 8 * 1024 * 1024;
