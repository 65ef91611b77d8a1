// Source code that counts its branches: types are removed from a TypeScript file, and a counter is inserted
// at the start of every function, branch, loop and case, and before the right side of `&&`, `||` and `??`.
// Done with the compiler that checks the code anyway.

import ts from 'typescript';

interface Instrumented {
  /** JavaScript. */
  readonly code: string;
  /** The line of each branch of this file, in the order of their counters. */
  readonly lines: readonly number[];
  /** Its literals and names of fields: a fuzzer that has them gets past comparisons. */
  readonly words: readonly string[];
}

/** @param first the counter of the file's first branch. */
export const instrument = (source: string, file: string, first: number): Instrumented => {
  const lines: number[] = [];
  const words = new Set<string>();
  const transform: ts.TransformerFactory<ts.SourceFile> = context => tree => {
    const { factory } = context;
    const count = (at: ts.Node): ts.Expression => {
      lines.push(ts.getLineAndCharacterOfPosition(tree, Math.max(0, at.getStart(tree))).line + 1);
      return factory.createPostfixIncrement(
        factory.createElementAccessExpression(factory.createIdentifier(COUNTERS), first + lines.length - 1),
      );
    };
    const countedBlock = (statement: ts.Statement, at: ts.Node): ts.Block =>
      factory.createBlock([
        factory.createExpressionStatement(count(at)),
        ...(ts.isBlock(statement) ? statement.statements : [statement]),
      ]);
    const counted = (part: ts.Node, at: ts.Node): ts.Node => {
      if (ts.isBlock(part) || ts.isStatement(part)) return countedBlock(part, at);
      if (!ts.isExpression(part)) return part;
      return factory.createParenthesizedExpression(
        factory.createBinaryExpression(count(at), ts.SyntaxKind.CommaToken, part),
      );
    };
    const visit = (node: ts.Node): ts.Node => {
      if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return node;
      collect(node, words);
      const inner = ts.visitEachChild(node, visit, context);
      if (ts.isIfStatement(inner) && inner.elseStatement === undefined)
        return factory.updateIfStatement(
          inner,
          inner.expression,
          countedBlock(inner.thenStatement, node),
          countedBlock(factory.createBlock([]), node),
        );
      if (ts.isCaseOrDefaultClause(inner)) {
        const statements = [factory.createExpressionStatement(count(node)), ...inner.statements];
        return ts.isCaseClause(inner)
          ? factory.updateCaseClause(inner, inner.expression, statements)
          : factory.updateDefaultClause(inner, statements);
      }
      const branches = new Set<ts.Node | undefined>(branchesOf(inner));
      return ts.visitEachChild(inner, part => (branches.has(part) ? counted(part, node) : part), context);
    };
    return ts.visitEachChild(tree, visit, context);
  };
  const { outputText } = ts.transpileModule(source, {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
    transformers: { before: [transform] },
  });
  return { code: `const ${COUNTERS} = globalThis.${COUNTERS};${outputText}`, lines, words: [...words] };
};

/** The parts of a node that run or do not. */
const branchesOf = (node: ts.Node): readonly (ts.Node | undefined)[] => {
  if (
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isFunctionDeclaration(node)
  )
    return [node.body];
  if (ts.isIfStatement(node)) return [node.thenStatement, node.elseStatement];
  if (ts.isIterationStatement(node, false)) return [node.statement];
  if (ts.isCatchClause(node)) return [node.block];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  if (ts.isBinaryExpression(node) && CHOICES.has(node.operatorToken.kind)) return [node.right];
  return [];
};

const collect = (node: ts.Node, words: Set<string>): void => {
  const text = ts.isStringLiteralLike(node)
    ? node.text
    : ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)
      ? node.name.text
      : ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
        ? node.text
        : '';
  if (text.length > 1 && text.length <= WORD_LENGTH_MOST) words.add(text);
};

/** The global that instrumented modules count in. */
export const COUNTERS = '__plimsollCounters';

const WORD_LENGTH_MOST = 40;
const CHOICES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);
