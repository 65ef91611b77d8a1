// What others have named is data everywhere: a command that is shown for a person to type is built by one function, from quoted parts,
// and what no surface shows is listed once.

import ts from 'typescript';
import { expect, test } from 'vitest';
import { COMMAND_WORDS } from '../src/cli/command.ts';
import { parse, repositoryFiles, textOf, walk } from './support/repository.ts';

const files = (repositoryFiles() ?? []).filter(file => /^(src|dashboard\/src)\/.*\.(ts|svelte)$/.test(file));

test('no text of the product has a command with a value in it that shellCommand did not quote', () => {
  const offences = files
    .filter(file => !(file in LABELS))
    .flatMap(file =>
      templatesOf(parse(file))
        .filter(hasCommand)
        .map(text => `${file}: ${shown(text)}`),
    );
  expect(offences).toEqual([]);
});

test('what no surface shows is listed in one file', () => {
  const offences = files
    .filter(file => file !== 'src/core/text/single-line.ts' && !(file in OTHER_LISTS))
    .filter(file => {
      let isFound = false;
      walk(parse(file), node => {
        isFound ||=
          ts.isRegularExpressionLiteral(node) &&
          /\\p\{(?:C|Default_I)|\\u\{?20[0-6]/i.test(withoutSpaces(node.text));
      });
      return isFound;
    });
  expect(offences).toEqual([]);
});

test('no component writes a command with a value in it into its markup', () => {
  const offences = files
    .filter(file => file.endsWith('.svelte'))
    .flatMap(file =>
      [...textOf(file).matchAll(/command="([^"]*\{[^"]*)"/g)].map(([, text = '']) => `${file}: ${text}`),
    );
  expect(offences).toEqual([]);
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: sources of templates
test.each([
  'const a = `plimsoll forget ${name}`;',
  'const a = `If it is gone for good: plimsoll forget ${name}`;',
  'const a = `sudo dmesg -T | grep ${name}`;',
  'const a = `Run: chmod 700 ${home}`;',
  'const a = `${program} report ${directory}`;',
  'const a = `The server has others. Use: --model ${first}`;',
  'const a = "plimsoll probe link " + name;',
])('%s would be noticed', source => {
  const file = ts.createSourceFile('made-up.ts', source, ts.ScriptTarget.Latest, true);
  expect(templatesOf(file).filter(hasCommand)).toHaveLength(1);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: sources of templates

/** Texts with values in them, each value as VALUE, but for those that shellCommand makes. */
const templatesOf = (file: ts.SourceFile): readonly string[] => {
  const found: string[] = [];
  walk(file, node => {
    if (ts.isTemplateExpression(node) && !isShellCommand(node.parent)) found.push(textOfTemplate(node));
    if (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
      ts.isStringLiteralLike(node.left)
    )
      found.push(`${node.left.text}${VALUE}`);
  });
  return found;
};

const textOfTemplate = ({ head, templateSpans }: ts.TemplateExpression): string =>
  templateSpans.reduce(
    (text, { expression, literal }) => `${text}${partOf(expression)}${literal.text}`,
    head.text,
  );

/** What a person types for `plimsoll` here is no value of others. */
const partOf = (expression: ts.Expression): string => {
  if (isShellCommand(expression)) return '';
  return /\bprogram$/.test(expression.getText()) ? 'plimsoll' : VALUE;
};

const isShellCommand = (node: ts.Node): boolean =>
  ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'shellCommand';

const hasCommand = (text: string): boolean => COMMAND.test(text);

const shown = (text: string): string => text.replaceAll(VALUE, '{…}').slice(0, 120);

/** Narrow ones are ours, between a figure and its unit. */
const withoutSpaces = (pattern: string): string => pattern.replace(/\\u202f/g, '');

/** Of other things. */
const OTHER_LISTS: Readonly<Record<string, string>> = {
  'src/tui/top-view.ts': 'keys that a person presses',
};
/** No commands, though they read like some. */
const LABELS: Readonly<Record<string, string>> = {
  'src/mesh/key/join-code.ts': 'labels of derived keys',
  'src/mesh/nats/sealed-message.ts': 'labels of derived keys',
};
const VALUE = '\u0000';
const PROGRAMS =
  'sudo|chmod|chown|curl|wget|grep|dmesg|ip -s|ip link|ifconfig|(?:nvidia-smi|amd-smi|rocm-smi|networksetup)(?= -)|ibv_devinfo|systemctl|journalctl|launchctl|kubectl|docker|podman|du|ulimit -n|sysctl|ethtool|printf';
/** A program and, in the same sentence, a value behind it; or an option to write with its value. */
const COMMAND = new RegExp(
  [
    `(?:^|[\\s\`"'(|])(?:plimsoll (?:${COMMAND_WORDS.join('|')})|${PROGRAMS}) (?:[^.;,:\\n${VALUE}]|[.:](?=\\S))*${VALUE}`,
    `(?:Use|Write|Try|Run|or|name it): (?:[^.;,\\n${VALUE}])*--[a-z][a-z-]* ${VALUE}`,
  ].join('|'),
);
