// JSON as the API writes it: what is not known is said so, instead of vanishing (undefined) or turning into null (a
// non-finite number).

import { unknown } from '../../core/unknown.ts';

export const toJson = (value: unknown): string =>
  JSON.stringify(value === undefined ? null : value, (_key, part: unknown) => {
    if (part === undefined) return unknown('nothing reported yet');
    return typeof part === 'number' && !Number.isFinite(part) ? unknown('never') : part;
  });

export const JSON_TYPE = 'application/json; charset=utf-8';
