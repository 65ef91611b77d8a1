// os-release (man os-release): shell-like assignments, quoted or not. /etc/machine-info has the same form.

export const parseAssignments = (text: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  for (const line of text.split('\n').slice(0, LINES_MAX)) {
    const match = /^\s*([A-Z][A-Z0-9_]*)=(.*)$/.exec(line);
    if (match !== null)
      values.set(match[1] ?? '', unquote((match[2] ?? '').trim()).slice(0, VALUE_LENGTH_MAX));
  }
  return values;
};

const unquote = (text: string): string => {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted === null) return text;
  return quoted[1] === '"' ? (quoted[2] ?? '').replaceAll(/\\(["\\$`])/g, '$1') : (quoted[2] ?? '');
};

const LINES_MAX = 200;
const VALUE_LENGTH_MAX = 200;
