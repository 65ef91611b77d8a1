// The settings in effect, as TOML that says where each value comes from.

import type { Setting } from './parse-config.ts';

/** `fileName` names the file in the notes: config.toml, or the last good one. */
export const settingLines = (settings: readonly Setting[], fileName: string): readonly string[] => {
  const lines: string[] = [];
  let section = '';
  for (const setting of settings) {
    const isBlock = setting.section === 'endpoints';
    if (setting.section !== section || isBlock) {
      section = setting.section;
      lines.push('', isBlock ? `[[${section}]]` : `[${section}]`);
    }
    const source = setting.source.kind === 'default' ? 'default' : `${fileName}:${setting.source.line}`;
    const line =
      setting.valueText === '' ? `# ${setting.key} is not set` : `${setting.key} = ${setting.valueText}`;
    lines.push(`${line.padEnd(NOTE_COLUMN)} # ${source}`);
  }
  return lines;
};

const NOTE_COLUMN = 44;
