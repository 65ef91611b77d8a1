// The texts of settings that Plimsoll writes. The config.toml of a first start has every key, commented out, with its
// default and its meaning, so the file documents itself and changes nothing until it is edited.

import { padded } from '../core/text/columns.ts';
import { CONFIG_SECTIONS, type ConfigKey, type ConfigSection, tomlText } from './config-keys.ts';
import type { Setting } from './parse-config.ts';

export const configTemplate = (): string =>
  [
    '# Settings of Plimsoll on this machine. Every key below is commented out and shows its default.',
    '# To set one, remove the "# " in front of it; the daemon picks up the change by itself.',
    '# `plimsoll config check` shows what is wrong with the file, `plimsoll config show` what is in effect.',
    '# Durations: 500ms, 3s, 2m, 1h, 7d. Sizes: 512MB, 1.5GB (powers of ten), 64MiB.',
    ...CONFIG_SECTIONS.flatMap(sectionLines),
    '',
  ].join('\n');

/** `fileName` names the file in the notes: config.toml, or the last good one. */
export const settingLines = (settings: readonly Setting[], fileName: string): readonly string[] => {
  const lines: string[] = [];
  let header = '';
  for (const { section, block, ...setting } of settings) {
    const above = `${section} ${block}`;
    if (section !== '' && above !== header)
      lines.push('', block === undefined ? `[${section}]` : `[[${section}]]`);
    header = above;
    const source = setting.source.kind === 'default' ? 'default' : `${fileName}:${setting.source.line}`;
    const line =
      setting.valueText === '' ? `# ${setting.key} is not set` : `${setting.key} = ${setting.valueText}`;
    lines.push(`${padded(line, NOTE_COLUMN)} # ${source}`);
  }
  return lines;
};

const sectionLines = (section: ConfigSection): string[] => {
  const header =
    section.name === ''
      ? []
      : [...wrapped(section.meaning), section.isList ? `# [[${section.name}]]` : `[${section.name}]`];
  return [
    '',
    ...header,
    ...section.keys.flatMap((key, index) => [...(index === 0 ? [] : ['']), ...keyLines(key)]),
  ];
};

const keyLines = ({ key, meaning, default: standard, example }: ConfigKey): string[] => {
  const shown = standard ?? example ?? '';
  const note = standard === undefined ? '   # an example; there is no default' : exampleNote(example);
  return [...wrapped(meaning), `# ${key} = ${tomlText(shown)}${note}`];
};

const exampleNote = (example: ConfigKey['example']): string =>
  example === undefined ? '' : `   # for example ${tomlText(example)}`;

/** Comment lines of at most 100 characters, broken between words. */
const wrapped = (text: string): string[] => {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > COMMENT_WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
};

const COMMENT_WIDTH = 100;
const NOTE_COLUMN = 44;
