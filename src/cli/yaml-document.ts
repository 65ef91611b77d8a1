// YAML as plain data, and back. Loaded only for such a file.

import { parse, stringify } from 'yaml';

/** @throws an error whose first line names line and column. Aliases are refused, so that nothing expands. */
export const parseYaml = (text: string): unknown => parse(text, { maxAliasCount: 0, prettyErrors: true });

export const yamlText = (document: Readonly<Record<string, unknown>>): string => stringify(document);
