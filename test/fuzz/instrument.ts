// Source code that counts its branches: of a TypeScript file the types go, and a counter stands at the start of every function,
// branch, loop and case, and before the right side of `&&`, `||` and `??`. Done with the compiler that checks the code anyway.

import ts from 'typescript';

export interface Instrumented {
  /** JavaScript. */
  readonly code: string;
  /** The line of each branch of this file, in the order of their counters. */
  readonly lines: readonly number[];
  /** Its literals and names of fields: a fuzzer that knows them gets past comparisons. */
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
    const counted = <T extends ts.Statement>(statement: T, at: ts.Node): ts.Block =>
      factory.createBlock([
        factory.createExpressionStatement(count(at)),
        ...(ts.isBlock(statement) ? statement.statements : [statement]),
      ]);
    const before = (value: ts.Expression, at: ts.Node): ts.Expression =>
      factory.createParenthesizedExpression(
        factory.createBinaryExpression(count(at), ts.SyntaxKind.CommaToken, value),
      );
    const visit = (node: ts.Node): ts.Node => {
      if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return node;
      collect(node, words);
      const inner = ts.visitEachChild(node, visit, context);
      if (ts.isArrowFunction(inner)) {
        const body = ts.isBlock(inner.body) ? counted(inner.body, node) : before(inner.body, node);
        return factory.updateArrowFunction(
          inner,
          inner.modifiers,
          inner.typeParameters,
          inner.parameters,
          inner.type,
          inner.equalsGreaterThanToken,
          body,
        );
      }
      if (ts.isMethodDeclaration(inner) && inner.body !== undefined)
        return factory.updateMethodDeclaration(
          inner,
          inner.modifiers,
          inner.asteriskToken,
          inner.name,
          inner.questionToken,
          inner.typeParameters,
          inner.parameters,
          inner.type,
          counted(inner.body, node),
        );
      if (ts.isFunctionExpression(inner))
        return factory.updateFunctionExpression(
          inner,
          inner.modifiers,
          inner.asteriskToken,
          inner.name,
          inner.typeParameters,
          inner.parameters,
          inner.type,
          counted(inner.body, node),
        );
      if (ts.isFunctionDeclaration(inner) && inner.body !== undefined)
        return factory.updateFunctionDeclaration(
          inner,
          inner.modifiers,
          inner.asteriskToken,
          inner.name,
          inner.typeParameters,
          inner.parameters,
          inner.type,
          counted(inner.body, node),
        );
      if (ts.isIfStatement(inner)) {
        const otherwise = inner.elseStatement;
        return factory.updateIfStatement(
          inner,
          inner.expression,
          counted(inner.thenStatement, inner.thenStatement.pos < 0 ? node : inner.thenStatement),
          otherwise === undefined ? counted(factory.createBlock([]), node) : counted(otherwise, node),
        );
      }
      if (ts.isForOfStatement(inner))
        return factory.updateForOfStatement(
          inner,
          inner.awaitModifier,
          inner.initializer,
          inner.expression,
          counted(inner.statement, node),
        );
      if (ts.isForInStatement(inner))
        return factory.updateForInStatement(
          inner,
          inner.initializer,
          inner.expression,
          counted(inner.statement, node),
        );
      if (ts.isForStatement(inner))
        return factory.updateForStatement(
          inner,
          inner.initializer,
          inner.condition,
          inner.incrementor,
          counted(inner.statement, node),
        );
      if (ts.isWhileStatement(inner))
        return factory.updateWhileStatement(inner, inner.expression, counted(inner.statement, node));
      if (ts.isDoStatement(inner))
        return factory.updateDoStatement(inner, counted(inner.statement, node), inner.expression);
      if (ts.isCaseClause(inner))
        return factory.updateCaseClause(inner, inner.expression, [
          factory.createExpressionStatement(count(node)),
          ...inner.statements,
        ]);
      if (ts.isDefaultClause(inner))
        return factory.updateDefaultClause(inner, [
          factory.createExpressionStatement(count(node)),
          ...inner.statements,
        ]);
      if (ts.isCatchClause(inner))
        return factory.updateCatchClause(inner, inner.variableDeclaration, counted(inner.block, node));
      if (ts.isConditionalExpression(inner))
        return factory.updateConditionalExpression(
          inner,
          inner.condition,
          inner.questionToken,
          before(inner.whenTrue, node),
          inner.colonToken,
          before(inner.whenFalse, node),
        );
      if (ts.isBinaryExpression(inner) && CHOICES.has(inner.operatorToken.kind))
        return factory.updateBinaryExpression(
          inner,
          inner.left,
          inner.operatorToken,
          before(inner.right, node),
        );
      return inner;
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
