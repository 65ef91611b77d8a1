// The XML that nvidia-smi prints, as a tree. Our own few lines rather than a library: the tool writes plain nested
// elements (no namespaces, CDATA or comments), and what matters here is that any text, cut off or garbled, gives
// some tree in linear time and never throws.

export interface Tag {
  readonly name: string;
  /** As written, undecoded: `id="00000000:01:00.0"`. */
  readonly attributes: string;
  readonly children: readonly Tag[];
  /** The text directly inside, trimmed, entities decoded. */
  readonly text: string;
  /** False where the end tag is missing: the output was cut off. */
  readonly isClosed: boolean;
}

/** Elements at top level. */
export const parseTagTree = (text: string): readonly Tag[] => {
  const top: OpenTag = openTag('', '');
  const stack: OpenTag[] = [];
  let textFrom = 0;
  for (const match of text.matchAll(TAG)) {
    const current = stack.at(-1) ?? top;
    current.text += text.slice(textFrom, match.index);
    textFrom = match.index + match[0].length;
    const [, slash, name, attributes] = match;
    if (name === undefined) continue; // <?xml …?> and <!DOCTYPE …>
    if (slash === '/') {
      closeTag(stack, name);
      continue;
    }
    const tag = openTag(name, (attributes ?? '').trim());
    current.children.push(tag);
    if (attributes?.endsWith('/') === true) tag.isClosed = true;
    else if (stack.length < DEPTH_MAX) stack.push(tag);
  }
  finishTexts(top);
  return top.children;
};

export const childOf = (tag: Tag | undefined, name: string): Tag | undefined =>
  tag?.children.find(child => child.name === name);

export const childrenOf = (tag: Tag | undefined, name: string): readonly Tag[] =>
  tag?.children.filter(child => child.name === name) ?? [];

/** Follows names downwards: `descendant(gpu, 'pci', 'pcie_gen')`. */
export const descendant = (tag: Tag | undefined, ...names: readonly string[]): Tag | undefined => {
  let found = tag;
  for (const name of names) found = childOf(found, name);
  return found;
};

interface OpenTag extends Tag {
  readonly children: OpenTag[];
  text: string;
  isClosed: boolean;
}

const openTag = (name: string, attributes: string): OpenTag => ({
  name,
  attributes,
  children: [],
  text: '',
  isClosed: false,
});

/** An end tag closes the nearest open element of its name; those inside it stay marked as unclosed. */
const closeTag = (stack: OpenTag[], name: string): void => {
  const at = stack.findLastIndex(tag => tag.name === name);
  const tag = stack[at];
  if (tag === undefined) return;
  tag.isClosed = true;
  stack.length = at;
};

const finishTexts = (top: OpenTag): void => {
  const rest: OpenTag[] = [top];
  for (let tag = rest.pop(); tag !== undefined; tag = rest.pop()) {
    tag.text = tag.text.trim().replace(ENTITY, (_, name: string) => ENTITIES.get(name) ?? '');
    for (const child of tag.children) rest.push(child);
  }
};

/** Deeper elements are kept as leaves; nvidia-smi nests six deep. */
const DEPTH_MAX = 32;
/** A name is taken whole or not at all: one without an end would otherwise be tried at each of its lengths. */
const TAG = /<(?:(\/?)([A-Za-z_][\w.-]*)(?![\w.-])([^<>]*)|[!?][^<>]*)>/g;
const ENTITY = /&(amp|lt|gt|quot|apos);/g;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
