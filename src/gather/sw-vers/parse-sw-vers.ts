// `sw_vers`: "ProductName:<tabs>macOS" lines. A background security update adds ProductVersionExtra, "(a)".

import { toolLines } from '../tool-lines.ts';

export interface MacosVersion {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly build: string | undefined;
}

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
