// `npm run docs`: writes the tables in documents from the declarations in src, so that they, --help and the code have one
// source. test/cli/docs.test.ts fails if a document is older than the declarations.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { optionForm } from '../src/core/option/option.ts';
import { FIGURE_TABLES } from './figure-tables.mjs';

export const TABLED_DOCUMENTS = [
  'accept.md',
  'api.md',
  'cli.md',
  'coming-from.md',
  'config.md',
  'engines.md',
  'json.md',
  'metrics.md',
  'mock.md',
  'opentelemetry.md',
  'prometheus.md',
  'scenarios.md',
  'service.md',
];

/** Everything that tables are written from, by the names of the exports. */
export const declarations = async () => {
  const [{ allCommands }, ...others] = await Promise.all([
    import('../src/cli/commands.ts'),
    import('../src/cli/exit-codes.ts'),
    import('../src/cli/like/foreign-options.ts'),
    import('../src/core/acceptance/accept-cluster.ts'),
    import('../src/core/engine/server-engines.ts'),
    import('../src/cli/published-documents.ts'),
    import('../src/config/config-keys.ts'),
    import('../src/config/value-kinds.ts'),
    import('../src/daemon/log/daemon-log.ts'),
    import('../src/mock/failures.ts'),
    import('../src/mock/cases/fault-case.ts'),
    import('../src/mock/cases/fault-cases.ts'),
    import('../src/mock/cases/tls-cases.ts'),
    import('../src/wire/notice.ts'),
    import('../src/wire/api/api-problem.ts'),
  ]);
  return Object.assign({ commands: await allCommands() }, ...others);
};

/** The document with the content between `<!-- table: SUBJECT -->` and `<!-- end -->` written again. */
export const withTables = (text, declared) =>
  text.replace(
    /(<!-- table: (.+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start, subject, end) => `${start}${tableOf(subject, declared)}${end}`,
  );

/** What the document has tables of. */
export const tabledSubjects = text =>
  [...text.matchAll(/<!-- table: (.+) -->/g)].map(([, subject]) => subject);

const tableOf = (subject, declared) => {
  const [kind, name] = subject.split(' of ');
  const make = TABLES[kind];
  if (make === undefined) throw new Error(`there is no table "${subject}"`);
  return make(declared, name);
};

/** By the first word of a subject; the second argument is what follows "of". */
const TABLES = {
  commands: ({ commands }) =>
    table(
      ['command', 'what it does'],
      commands.map(command => [code(usageOf(command)), inMarkdown(command.summary, commands)]),
    ),
  /** Of WORD, the first of one or several commands; "WORD beyond bench": only those that bench has in no such form. */
  options: ({ commands }, name) => {
    const [word, , beyond] = name.split(' ');
    const others = beyond === undefined ? [] : optionRows(commands.filter(each => each.name === beyond));
    const isCommon = row => others.some(other => other.key === row.key);
    const group = commandsOf(word, commands);
    const rows = optionRows(group);
    const common = rows.filter(isCommon);
    const own = rows
      .filter(row => !isCommon(row))
      .map(({ option, names }) => [
        ...(group.length === 1 ? [] : [names.map(code).join(', ')]),
        code(optionForm(option)),
        inMarkdown(option.meaning, commands),
      ]);
    const also =
      common.length === 0 ? '' : `\nThe same as for \`plimsoll ${beyond}\`: ${optionNames(common)}.\n`;
    return table([...(group.length === 1 ? [] : ['command']), 'option', 'meaning'], own) + also;
  },
  figures: (_, name) => table(FIGURE_TABLES[name].head, FIGURE_TABLES[name].rows),
  names: ({ commands }, word) => `${optionNames(optionRows(commandsOf(word, commands)))}\n`,
  'exit codes': ({ EXIT_CODES }) =>
    table(
      ['code', 'name', 'meaning'],
      Object.entries(EXIT_CODES).map(([name, { code: number, meaning }]) => [String(number), name, meaning]),
    ),
  /** Servers of models that are found by their ports. */
  engines: ({ SERVER_ENGINES }) =>
    table(
      ['engine', 'usual port', 'version', 'models in memory', 'requests in flight'],
      SERVER_ENGINES.filter(({ ports }) => ports.length > 0).map(
        ({ name, ports, settingsPath, versionField, loaded, hidesLoaded, unlisted, counts, uncounted }) => [
          name,
          ports.join(', '),
          versionField === undefined ? 'not reported' : code(settingsPath),
          unlisted ?? `${code(loaded?.path ?? '/v1/models')}${hidesLoaded ? ': all that it could load' : ''}`,
          counts.length === 0 ? uncounted : counts.map(code).join(', else '),
        ],
      ),
    ),
  /** Of the log. */
  events: ({ LOG_EVENTS }) =>
    table(
      ['event', 'level', 'meaning'],
      Object.entries(LOG_EVENTS).map(([name, { level, meaning }]) => [code(name), level, meaning]),
    ),
  /** Of a section of config.toml. */
  keys: ({ CONFIG_SECTIONS, tomlText, valueKind }, name) =>
    table(
      ['key', 'value', 'default', 'meaning'],
      CONFIG_SECTIONS.find(each => each.name === (name === 'this machine' ? '' : name)).keys.map(
        ({ key, kind, min = 0, max = 0, default: standard, example, meaning }) => {
          const { form } = valueKind(kind);
          const value = typeof form === 'string' ? form : form({ min, max });
          const examples = example === undefined ? [] : [`for example ${code(tomlText(example))}`];
          return [
            code(key),
            Array.isArray(standard) ? `a list, each ${value}` : value,
            standard === undefined
              ? ['none', ...examples].join('; ')
              : [code(tomlText(standard)), ...examples].join(', '),
            meaning,
          ];
        },
      ),
    ),
  /** Of a stage of an acceptance. */
  checks: ({ ACCEPTANCE_CHECKS }, name) =>
    table(
      ['check', 'what', 'passes if', 'limit in a plan'],
      ACCEPTANCE_CHECKS.filter(({ stage }) => stage === name).map(({ id, title, threshold, plan, unit }) => [
        code(id),
        title,
        threshold,
        plan === undefined
          ? ''
          : [plan === 'min' ? 'least' : 'most', ...(unit === '' ? [] : [unit])].join(', '),
      ]),
    ),
  failures: ({ FAILURES }) =>
    table(
      ['name', 'what happens', 'stream', 'whole'],
      FAILURES.map(({ name, meaning, streaming, plain }) => [
        code(name),
        meaning,
        expectedText(streaming),
        plain === streaming ? 'same' : expectedText(plain),
      ]),
    ),
  /** Options of other tools: other names of one of ours, then those that mean something else. */
  foreign: ({ commands, TOOL_OPTIONS }) => {
    const [{ options }] = commandsOf('bench', commands);
    const shown = names => names.map(name => code(name.length === 1 ? `-${name}` : `--${name}`)).join(', ');
    return table(
      ['there', 'here'],
      [
        ...options.flatMap(({ name, aliases }) =>
          aliases === undefined ? [] : [[shown(aliases), code(`--${name}`)]],
        ),
        ...TOOL_OPTIONS.map(({ names, means }) => [shown(names), means]),
      ],
    );
  },
  /** What --json prints and files contain. */
  documents: ({ commands, PUBLISHED_DOCUMENTS }) =>
    table(
      ['name', 'what it is', 'printed by', 'file'],
      PUBLISHED_DOCUMENTS.map(({ name, meaning, file }) => [
        code(name),
        meaning,
        commands
          .filter(({ prints = [] }) => prints.includes(name))
          .map(each => code(each.name))
          .join(', '),
        file === undefined ? '' : code(file),
      ]),
    ),
  /** With a heading for each group. */
  cases: ({ CASE_GROUPS, FAULT_CASES, TLS_CASES }) => {
    const groups = Object.entries(CASE_GROUPS).map(([group, title]) => {
      const rows = FAULT_CASES.filter(each => each.group === group).map(
        ({ name, meaning, streaming, plain }) => [
          code(name),
          meaning,
          expectedText(streaming),
          expectedText(plain),
        ],
      );
      return `### ${title}\n\n${table(['name', 'what the server does', 'stream', 'whole'], rows)}\n`;
    });
    const tls = TLS_CASES.map(({ name, meaning, expected }) => [code(name), meaning, expectedText(expected)]);
    const head = ['name', 'what the server answers to a ClientHello', 'outcome'];
    return `\n${groups.join('')}### TLS\n\n${table(head, tls)}\n`;
  },
  /** Of /api/daemon. */
  notices: ({ NOTICE_CODES }) =>
    table(
      ['code', 'meaning'],
      Object.entries(NOTICE_CODES).map(([name, meaning]) => [code(name), meaning]),
    ),
  /** Of the API. */
  problems: ({ API_PROBLEMS }) =>
    table(
      ['code', 'status', 'meaning'],
      Object.entries(API_PROBLEMS)
        .sort(([, one], [, other]) => one.status - other.status)
        .map(([name, { status, title }]) => [code(name), String(status), `${title}.`]),
    ),
};

const commandsOf = (word, commands) => {
  const group = commands.filter(({ name }) => name.split(' ')[0] === word);
  if (group.length === 0) throw new Error(`there is no command "${word}"`);
  return group;
};

const optionNames = rows => rows.map(({ option }) => code(`--${option.name}`)).join(', ');

/** "timeout (idle)" */
const expectedText = ({ outcome, kind, statusCode, phase }) => {
  if (outcome === 'completed') return outcome;
  if (phase !== undefined) return `${code(kind)} (${phase})`;
  return statusCode === undefined ? code(kind) : `${code(kind)} ${statusCode}`;
};

/** Each option once, with the commands that have it in this form; --home is described for all commands together. */
const optionRows = group => {
  const rows = new Map();
  for (const { name, options } of group)
    for (const option of options) {
      if (option.name === 'home') continue;
      const key = JSON.stringify([optionForm(option), option.meaning]);
      if (!rows.has(key)) rows.set(key, { key, option, names: [] });
      rows.get(key).names.push(name);
    }
  return [...rows.values()];
};

const usageOf = ({ name, arguments: names }) => ['plimsoll', name, ...names.map(argumentText)].join(' ');

const argumentText = ({ name, isRequired, isRepeatable }) =>
  `${isRequired ? name : `[${name}]`}${isRepeatable ? ' …' : ''}`;

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
  const declared = await declarations();
  for (const name of TABLED_DOCUMENTS) {
    const path = new URL(`../docs/${name}`, import.meta.url);
    writeFileSync(path, withTables(readFileSync(path, 'utf8'), declared));
  }
}
