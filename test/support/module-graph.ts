// What the modules of this checkout export, and what they take from one another by name: for the tests that keep names single
// and exports in use. By syntax alone, because a type check of everything costs more than all of these tests.

import { posix } from 'node:path';
import ts from 'typescript';
import { parse, walk } from './repository.ts';

/** Names of values and types that a module declares and exports. */
export const exportsOf = (file: string): readonly string[] =>
  parse(file).statements.flatMap(statement => (isExported(statement) ? declaredNames(statement) : []));

/** `path#name` of everything that a module takes from others by name. */
export const importedNames = (file: string): readonly string[] => {
  const source = parse(file);
  const taken = source.statements.flatMap(statement => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) return [];
    const path = resolved(file, statement.moduleSpecifier.text);
    return bindings.elements.map(({ name, propertyName }) => `${path}#${(propertyName ?? name).text}`);
  });
  // Of a module that is imported dynamically, every identifier of the importer counts as a name that it takes.
  const loaded = [...source.text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, path]) =>
    resolved(file, path ?? ''),
  );
  return [
    ...taken,
    ...loaded.flatMap(path => [...identifiersOf(file).keys()].map(name => `${path}#${name}`)),
  ];
};

/** Each import of a module that the file imports already. */
export const importedTwice = (file: string): readonly string[] =>
  parse(file)
    .statements.filter(ts.isImportDeclaration)
    .map(({ moduleSpecifier }) => moduleSpecifier.getText())
    .filter((path, at, all) => all.indexOf(path) < at)
    .map(path => `${file}: ${path}`);

/** How often a module contains each name in code, declarations included. */
export const identifiersOf = (file: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  walk(parse(file), node => {
    if (ts.isIdentifier(node)) counts.set(node.text, (counts.get(node.text) ?? 0) + 1);
  });
  return counts;
};

/** Without what Vite reads after a question mark. */
const resolved = (file: string, path: string): string =>
  posix.join(posix.dirname(file), path.replace(/\?.*$/, ''));

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

const declaredNames = (statement: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
};
