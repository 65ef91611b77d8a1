// `npm run docs`: writes the tables of commands and options in documents from the declarations of the commands, so that
// they and --help have one source. test/cli/docs.test.ts fails if a document is older than the declarations.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const TABLED_DOCUMENTS = ['cli.md', 'mock.md'];

/**
 * The document with the content between `<!-- table: SUBJECT -->` and `<!-- end -->` written again. A subject is
 * "commands", "options of WORD" (the first word of one or several commands), with "beyond bench" for only those that
 * `plimsoll bench` does not have in the same form, or "names of WORD" for a list of names alone.
 */
export const withCommandTables = (text, commands) =>
  text.replace(
    /(<!-- table: (.+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start, subject, end) => `${start}${tableOf(subject, commands)}${end}`,
  );

/** The first words of commands for which the document has a table of options. */
export const tabledWords = text =>
  [...text.matchAll(/<!-- table: (?:options|names) of (\S+)/g)].map(([, word]) => word);

const tableOf = (subject, commands) => {
  if (subject === 'commands')
    return table(
      ['command', 'what it does'],
      commands.map(command => [code(usageOf(command)), inMarkdown(command.summary, commands)]),
    );
  const [, kind, word, beyond] = /^(options|names) of (\S+)(?: beyond (\S+))?$/.exec(subject) ?? [];
  const group = commands.filter(({ name }) => name.split(' ')[0] === word);
  if (group.length === 0) throw new Error(`there is no command for the table "${subject}"`);
  const rows = optionRows(group);
  if (kind === 'names') return `${rows.map(({ option }) => code(`--${option.name}`)).join(', ')}\n`;
  const others = beyond === undefined ? [] : optionRows(commands.filter(({ name }) => name === beyond));
  const isCommon = row => others.some(other => other.key === row.key);
  const own = rows.filter(row => !isCommon(row));
  const common = rows.filter(isCommon);
  return [
    group.length === 1
      ? table(
          ['option', 'meaning'],
          own.map(({ option }) => [code(formOf(option)), inMarkdown(option.meaning, commands)]),
        )
      : table(
          ['command', 'option', 'meaning'],
          own.map(({ option, names }) => [
            names.map(code).join(', '),
            code(formOf(option)),
            inMarkdown(option.meaning, commands),
          ]),
        ),
    ...(common.length === 0
      ? []
      : [
          `\nThe same as for \`plimsoll ${beyond}\`: ${common.map(({ option }) => code(`--${option.name}`)).join(', ')}.\n`,
        ]),
  ].join('');
};

/** Each option once, with the commands that have it in this form; --home is described for all commands together. */
const optionRows = group => {
  const rows = new Map();
  for (const { name, options } of group)
    for (const option of options) {
      if (option.name === 'home') continue;
      const key = JSON.stringify([formOf(option), option.meaning]);
      if (!rows.has(key)) rows.set(key, { key, option, names: [] });
      rows.get(key).names.push(name);
    }
  return [...rows.values()];
};

const usageOf = ({ name, arguments: names }) => ['plimsoll', name, ...names.map(argumentText)].join(' ');

const argumentText = ({ name, isRequired, isRepeatable }) =>
  `${isRequired ? name : `[${name}]`}${isRepeatable ? ' …' : ''}`;

const formOf = ({ name, valueName, valueAlone, isRepeatable }) => {
  const value = valueName === undefined ? '' : valueAlone === undefined ? ` ${valueName}` : ` [${valueName}]`;
  return `--${name}${value}${isRepeatable ? ' …' : ''}`;
};

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('')
    .replace(/^\|(?: --- \|)+$/m, line => line.replaceAll(' ', ''));

const code = text => `\`${text}\``;

/** Commands, options, quoted text and <home>/runs, which Markdown would read as a tag, as code. */
const inMarkdown = (text, commands) => {
  const names = commands.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const command = `plimsoll (?:${names.join('|')})\\b(?: --[a-z][\\w-]*(?: \\w+=\\w+)?)?`;
  const found = new RegExp(
    `\`[^\`]+\`|'[^' ][^']*'(?!\\w)|${command}|<\\w+>[\\w/<>.]*[\\w>]|(?<![\\w-])--[a-z][\\w-]*(?: [\\w.]+[=:]\\w+)?`,
    'g',
  );
  return text.replace(found, part => (part.startsWith('`') ? part : code(part)));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { allCommands } = await import('../src/cli/commands.ts');
  const commands = await allCommands();
  for (const name of TABLED_DOCUMENTS) {
    const path = new URL(`../docs/${name}`, import.meta.url);
    writeFileSync(path, withCommandTables(readFileSync(path, 'utf8'), commands));
  }
}
