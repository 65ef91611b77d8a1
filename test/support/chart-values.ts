// The values of the Helm chart as its file has them, each with the comment above it. Only the YAML that the file keeps to: maps by
// two spaces, and every value on one line.

interface ChartValue {
  /** "metrics.serviceMonitor.enabled" */
  readonly path: string;
  /** As it is written. */
  readonly text: string;
  readonly meaning: string;
}

export const chartValues = (yaml: string): readonly ChartValue[] => {
  const found: ChartValue[] = [];
  let path: readonly string[] = [];
  let comment: readonly string[] = [];
  for (const line of yaml.split('\n')) {
    const reported = /^ *# ?(.*)$/.exec(line)?.[1];
    if (reported !== undefined) {
      comment = [...comment, reported];
      continue;
    }
    const [, indent = '', name, text] = /^( *)([A-Za-z]+):(?: (.*))?$/.exec(line) ?? [];
    if (name === undefined) {
      if (line.trim() !== '') throw new Error(`not a value on one line: ${line}`);
    } else {
      path = [...path.slice(0, indent.length / 2), name];
      if (text !== undefined) found.push({ path: path.join('.'), text, meaning: comment.join(' ') });
    }
    comment = [];
  }
  return found;
};
