// list.push(...items) for any number of items, without passing them as arguments of one call: the stack
// overflows at some hundred thousand.

/** Does nothing if there is no list. */
export const pushAll = <Item>(list: Item[] | undefined, items: Iterable<Item>): void => {
  if (list === undefined) return;
  for (const item of items) list.push(item);
};
