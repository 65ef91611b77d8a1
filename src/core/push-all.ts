// list.push(...items) for items of any number, which are not arguments of one call then: the stack ends at some hundred thousand.

/** Nothing where there is no list. */
export const pushAll = <Item>(list: Item[] | undefined, items: Iterable<Item>): void => {
  if (list === undefined) return;
  for (const item of items) list.push(item);
};
