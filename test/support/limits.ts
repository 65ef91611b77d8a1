// The limits that the code declares, and those that docs/limits.md lists: for the test that compares them.

import ts from 'typescript';
import { parse, textOf } from './repository.ts';

export interface Bound {
  readonly file: string;
  /** "FRAMES_MAX", or "MESH_LIMITS.linksMax" of a table. */
  readonly name: string;
  /** Undefined where it is not a calculation with numbers of the same file. */
  readonly value: number | undefined;
}

/** What is named as a maximum at the top of a module: constants, and numbers of a table of limits. */
export const boundsOf = (file: string): readonly Bound[] => {
  const known = new Map<string, number>();
  const constants = parse(file)
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) && initializer !== undefined ? [{ name: name.text, initializer }] : [],
    );
  // Tables of constants stand last, and one may be made of another below it.
  for (const _round of [1, 2, 3])
    for (const { name, initializer } of constants) {
      const value = calculated(initializer, known);
      if (value !== undefined) known.set(name, value);
    }
  return constants.flatMap(({ name, initializer }) => [
    ...(/_MAX(_|$)/.test(name) && !/^INPUT_LIMITS\./.test(initializer.getText())
      ? [{ file, name, value: calculated(initializer, known) }]
      : []),
    ...(ts.isObjectLiteralExpression(initializer) ? initializer.properties : []).flatMap(property =>
      ts.isPropertyAssignment(property) && /Max$/.test(property.name.getText())
        ? [
            {
              file,
              name: `${name}.${property.name.getText()}`,
              value: calculated(property.initializer, known),
            },
          ]
        : [],
    ),
  ]);
};

/** Whether a row of docs/limits.md that names the file, or a folder that it is in, states the limit's value. */
export const isStated = ({ file, value }: Bound): boolean =>
  value !== undefined &&
  rows.some(
    ({ files, text }) =>
      files.some(allowed => allowed === file || (allowed.endsWith('/') && file.startsWith(allowed))) &&
      writtenAs(value).some(written => containsFigure(text, written)),
  );

const rows: readonly { readonly files: readonly string[]; readonly text: string }[] = (() => {
  let files: readonly string[] = [];
  return textOf('docs/limits.md')
    .split('\n')
    .filter(line => /^\| (?!what \||---)/.test(line))
    .map(line => {
      const [, what = '', bound = '', where = '', past = ''] = line.split('|').map(cell => cell.trim());
      if (where !== 'same') files = [...where.matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? '');
      return { files, text: `${what} | ${bound} | ${past}` };
    });
})();

const calculated = (node: ts.Expression, known: ReadonlyMap<string, number>): number | undefined => {
  if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
  if (ts.isParenthesizedExpression(node)) return calculated(node.expression, known);
  if (ts.isIdentifier(node)) return known.get(node.text);
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [calculated(node.left, known), calculated(node.right, known)];
  if (left === undefined || right === undefined) return undefined;
  return CALCULATIONS[node.operatorToken.getText()]?.(left, right);
};

const CALCULATIONS: Readonly<Record<string, (left: number, right: number) => number>> = {
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '**': (left, right) => left ** right,
};

/** As the page may write it: plain, in bytes, in time, as a share. */
const writtenAs = (value: number): readonly string[] => [
  ...(value in WORDS ? [WORDS[value] ?? ''] : []),
  grouped(value),
  ...Object.entries(UNITS)
    .filter(([, size]) => value >= size / 10)
    .map(([unit, size]) => `${grouped(value / size)}${unit}`),
  ...(value <= 1 ? [`${grouped(value * 100)}%`] : []),
];

const grouped = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 3 });

/** Not as a part of another figure. */
const containsFigure = (text: string, figure: string): boolean => {
  for (let at = text.indexOf(figure); at !== -1; at = text.indexOf(figure, at + 1))
    if (!/[\d.,]$/.test(text.slice(0, at)) && !/^(\d|[.,]\d)/.test(text.slice(at + figure.length)))
      return true;
  return false;
};

const WORDS: Readonly<Record<number, string>> = {
  0.125: 'an eighth',
  0.75: 'three quarters',
  4294967295: '2³²',
};

const UNITS: Readonly<Record<string, number>> = {
  ' KiB': 2 ** 10,
  ' MiB': 2 ** 20,
  ' GiB': 2 ** 30,
  ' MB': 1e6,
  ' GB': 1e9,
  ' ms': 1,
  ' s': 1_000,
  ' minutes': 60_000,
  ' h': 3_600_000,
  ' days': 86_400_000,
};
